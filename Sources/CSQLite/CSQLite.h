/* The one door to SQLite. Only module DownloadStore imports it. */
#pragma once
#if !__has_include(<sqlite3.h>)
#error "bahost needs the Debian package libsqlite3-dev: run 'make setup'"
#endif
#include <sqlite3.h>
