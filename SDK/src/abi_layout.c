// The layout of the plugin interface, asserted: every size and every offset of every struct that
// crosses it. Compiles to nothing.
#include <bahost/bahost.h>

#define SIZE(type, bytes) BAHOST_STATIC_ASSERT(sizeof(type) == (bytes), "size of " #type)
#define FIELD(type, field, offset, bytes)                                                          \
    BAHOST_STATIC_ASSERT(                                                                          \
        offsetof(type, field) == (offset) && sizeof(((type *)0)->field) == (bytes),                \
        #type "." #field)

SIZE(void *, 8);
#if __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "the plugin interface is little-endian"
#endif

SIZE(bahost_bytes, 16);
FIELD(bahost_bytes, data, 0, 8);
FIELD(bahost_bytes, length, 8, 8);

SIZE(bahost_header, 16);
FIELD(bahost_header, name, 0, 8);
FIELD(bahost_header, value, 8, 8);

SIZE(bahost_app_info, 80);
FIELD(bahost_app_info, struct_size, 0, 4);
FIELD(bahost_app_info, flags, 4, 4);
FIELD(bahost_app_info, app_identifier, 8, 8);
FIELD(bahost_app_info, app_version, 16, 8);
FIELD(bahost_app_info, previous_version, 24, 8);
FIELD(bahost_app_info, group, 32, 8);
FIELD(bahost_app_info, container_path, 40, 8);
FIELD(bahost_app_info, cache_path, 48, 8);
FIELD(bahost_app_info, language, 56, 8);
FIELD(bahost_app_info, restricted_bytes_remaining, 64, 8);
FIELD(bahost_app_info, restricted_essential_bytes_remaining, 72, 8);

SIZE(bahost_content_request, 32);
FIELD(bahost_content_request, struct_size, 0, 4);
FIELD(bahost_content_request, kind, 4, 4);
FIELD(bahost_content_request, manifest_path, 8, 8);
FIELD(bahost_content_request, manifest_size, 16, 8);
FIELD(bahost_content_request, app, 24, 8);

SIZE(bahost_download_request, 80);
FIELD(bahost_download_request, struct_size, 0, 4);
FIELD(bahost_download_request, flags, 4, 4);
FIELD(bahost_download_request, identifier, 8, 8);
FIELD(bahost_download_request, url, 16, 8);
FIELD(bahost_download_request, headers, 24, 8);
FIELD(bahost_download_request, header_count, 32, 4);
FIELD(bahost_download_request, mirror_count, 36, 4);
FIELD(bahost_download_request, mirrors, 40, 8);
FIELD(bahost_download_request, size_bytes, 48, 8);
FIELD(bahost_download_request, priority, 56, 8);
FIELD(bahost_download_request, group, 64, 8);
FIELD(bahost_download_request, sha256, 72, 8);

SIZE(bahost_download, 72);
FIELD(bahost_download, struct_size, 0, 4);
FIELD(bahost_download, flags, 4, 4);
FIELD(bahost_download, state, 8, 4);
FIELD(bahost_download, kind, 12, 4);
FIELD(bahost_download, identifier, 16, 8);
FIELD(bahost_download, unique_identifier, 24, 8);
FIELD(bahost_download, url, 32, 8);
FIELD(bahost_download, group, 40, 8);
FIELD(bahost_download, size_bytes, 48, 8);
FIELD(bahost_download, received_bytes, 56, 8);
FIELD(bahost_download, priority, 64, 8);

SIZE(bahost_error, 24);
FIELD(bahost_error, struct_size, 0, 4);
FIELD(bahost_error, domain, 4, 4);
FIELD(bahost_error, code, 8, 4);
FIELD(bahost_error, http_status, 12, 4);
FIELD(bahost_error, message, 16, 8);

SIZE(bahost_asset_pack, 80);
FIELD(bahost_asset_pack, struct_size, 0, 4);
FIELD(bahost_asset_pack, flags, 4, 4);
FIELD(bahost_asset_pack, identifier, 8, 8);
FIELD(bahost_asset_pack, version, 16, 8);
FIELD(bahost_asset_pack, local_version, 24, 8);
FIELD(bahost_asset_pack, download_bytes, 32, 8);
FIELD(bahost_asset_pack, installed_bytes, 40, 8);
FIELD(bahost_asset_pack, policy, 48, 4);
FIELD(bahost_asset_pack, installation_events, 52, 4);
FIELD(bahost_asset_pack, language, 56, 8);
FIELD(bahost_asset_pack, user_info, 64, 16);

SIZE(bahost_challenge, 72);
FIELD(bahost_challenge, struct_size, 0, 4);
FIELD(bahost_challenge, kind, 4, 4);
FIELD(bahost_challenge, host, 8, 8);
FIELD(bahost_challenge, port, 16, 4);
FIELD(bahost_challenge, previous_failures, 20, 4);
FIELD(bahost_challenge, protocol, 24, 8);
FIELD(bahost_challenge, realm, 32, 8);
FIELD(bahost_challenge, proposed_user, 40, 8);
FIELD(bahost_challenge, certificates, 48, 8);
FIELD(bahost_challenge, certificate_count, 56, 4);
FIELD(bahost_challenge, trust_error, 60, 4);
FIELD(bahost_challenge, flags, 64, 4);
FIELD(bahost_challenge, reserved, 68, 4);

SIZE(bahost_challenge_reply, 64);
FIELD(bahost_challenge_reply, struct_size, 0, 4);
FIELD(bahost_challenge_reply, disposition, 4, 4);
FIELD(bahost_challenge_reply, user, 8, 8);
FIELD(bahost_challenge_reply, password, 16, 8);
FIELD(bahost_challenge_reply, client_certificate, 24, 16);
FIELD(bahost_challenge_reply, client_key, 40, 16);
FIELD(bahost_challenge_reply, persistence, 56, 4);
FIELD(bahost_challenge_reply, reserved, 60, 4);

SIZE(bahost_host, 88);
FIELD(bahost_host, struct_size, 0, 4);
FIELD(bahost_host, abi_major, 4, 2);
FIELD(bahost_host, abi_minor, 6, 2);
FIELD(bahost_host, features, 8, 8);
FIELD(bahost_host, context, 16, 8);
FIELD(bahost_host, log, 24, 8);
FIELD(bahost_host, schedule, 32, 8);
FIELD(bahost_host, cancel, 40, 8);
FIELD(bahost_host, current_downloads, 48, 8);
FIELD(bahost_host, acquire_exclusive, 56, 8);
FIELD(bahost_host, release_exclusive, 64, 8);
FIELD(bahost_host, remaining, 72, 8);
FIELD(bahost_host, query, 80, 8);

SIZE(bahost_tag, 192);
FIELD(bahost_tag, magic, 0, 8);
FIELD(bahost_tag, struct_size, 8, 4);
FIELD(bahost_tag, abi_major, 12, 2);
FIELD(bahost_tag, abi_minor, 14, 2);
FIELD(bahost_tag, required_features, 16, 8);
FIELD(bahost_tag, flags, 24, 8);
FIELD(bahost_tag, name, 32, 64);
FIELD(bahost_tag, version, 96, 32);
FIELD(bahost_tag, toolchain, 128, 32);
FIELD(bahost_tag, reserved, 160, 32);
