/* The one door to libcrypto. Only module Digests imports it. */
#pragma once
#if !__has_include(<openssl/evp.h>)
#error "bahost needs the Debian package libssl-dev: run 'make setup'"
#endif
#include <openssl/evp.h>
