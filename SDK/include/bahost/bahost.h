/*
 * bahost: the interface between the host and an extension's plugin.
 *
 * A plugin is a shared object that includes this header and nothing else of bahost:
 *
 *     cc -shared -fPIC -I SDK/include plugin.c -o plugin.so
 *
 *     #include <bahost/bahost.h>
 *
 *     BAHOST_PLUGIN("Hello", "1.0");
 *
 *     int32_t bahost_install(const bahost_host *host, const bahost_content_request *request)
 *     {
 *         (void)request;
 *         bahost_download_request wish;
 *         bahost_request_init(&wish, "hello", "https://example.com/hello.bin", 0);
 *         return host->schedule(host, &wish) == BAHOST_STATUS_OK ? 0 : -1;
 *     }
 *
 * LP64, little-endian; C11, C++11, and importable into Swift. SDK/README.md is the way in,
 * SDK/ABI.md says why things are as they are, and these comments are the reference.
 *
 *     version.h   version, features, bounds
 *     status.h    status numbers
 *     types.h     the structs
 *     host.h      what the plugin may ask of the host
 *     plugin.h    what the plugin exports: tag and entry points
 *     helpers.h   conveniences
 */
#ifndef BAHOST_H
#define BAHOST_H

#include <bahost/version.h>
#include <bahost/status.h>
#include <bahost/types.h>
#include <bahost/host.h>
#include <bahost/plugin.h>
#include <bahost/helpers.h>

#endif
