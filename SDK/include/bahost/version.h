/*
 * Version of the plugin interface, portability macros, bounds.
 *
 * Part of the bahost SDK. Include <bahost/bahost.h>.
 */
#ifndef BAHOST_VERSION_H
#define BAHOST_VERSION_H

#include <stddef.h>
#include <stdint.h>

/* The interface this header describes. Another major is another interface. A host runs a plugin
 * whose minor is not above its own. */
#define BAHOST_ABI_MAJOR 0
#define BAHOST_ABI_MINOR 1

/* The least minor that the plugin being compiled can live with; goes into its tag. Define it before
 * including this header when the plugin uses nothing newer and should run on older hosts. */
#ifndef BAHOST_PLUGIN_MINOR
#define BAHOST_PLUGIN_MINOR BAHOST_ABI_MINOR
#endif

/* Features: bits of bahost_tag.required_features and of bahost_host.features. */
#define BAHOST_FEATURE_MIRRORS 1ull    /* more than one address for a download */
#define BAHOST_FEATURE_CHALLENGES 2ull /* bahost_authentication_challenge is called */

/* Bounds of what a plugin hands to the host. Bytes do not count the closing NUL. */
#define BAHOST_MAX_IDENTIFIER_BYTES 255
#define BAHOST_MAX_URL_BYTES 8192
#define BAHOST_MAX_HEADERS 64
#define BAHOST_MAX_HEADER_BYTES 16384 /* all names and values of one request together */
#define BAHOST_MAX_MIRRORS 16
#define BAHOST_MAX_LOG_BYTES 4096   /* one call of log */
#define BAHOST_MAX_PAGE_DOWNLOADS 256 /* one call of current_downloads */

#if defined(__cplusplus)
#define BAHOST_BEGIN_C extern "C" {
#define BAHOST_END_C }
#define BAHOST_STATIC_ASSERT(claim, text) static_assert(claim, text)
#else
#define BAHOST_BEGIN_C
#define BAHOST_END_C
#define BAHOST_STATIC_ASSERT(claim, text) _Static_assert(claim, text)
#endif

/* Seen from outside the shared object, even under -fvisibility=hidden. */
#define BAHOST_EXPORT __attribute__((visibility("default")))

/* For importers such as Swift; nothing to a C compiler without the words. */
#if defined(__clang__)
#define BAHOST_NULLABLE _Nullable
#define BAHOST_NONNULL _Nonnull
#else
#define BAHOST_NULLABLE
#define BAHOST_NONNULL
#endif

#endif
