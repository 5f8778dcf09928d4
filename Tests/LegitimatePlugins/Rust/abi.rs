// What this plugin uses of bahost's interface: the layouts of SDK/include/bahost, by their offsets.

use std::os::raw::{c_char, c_void};

pub const LOG_INFO: i32 = 1;
pub const LOG_ERROR: i32 = 4;

/// `bahost_host`, up to its first function.
#[repr(C)]
pub struct Host {
    struct_size: u32,
    abi_major: u16,
    abi_minor: u16,
    features: u64,
    context: *mut c_void,
    pub log: unsafe extern "C" fn(*const Host, i32, *const c_char, u64),
}

/// `bahost_content_request`.
#[repr(C)]
pub struct ContentRequest {
    struct_size: u32,
    kind: u32,
    pub manifest_path: *const c_char,
    manifest_size: u64,
    pub app: *const AppInfo,
}

/// `bahost_app_info`, up to the container.
#[repr(C)]
pub struct AppInfo {
    struct_size: u32,
    flags: u32,
    app_identifier: *const c_char,
    app_version: *const c_char,
    previous_version: *const c_char,
    group: *const c_char,
    pub container_path: *const c_char,
}

/// `bahost_tag`.
#[repr(C, align(8))]
pub struct Tag {
    magic: [u8; 8],
    struct_size: u32,
    abi_major: u16,
    abi_minor: u16,
    required_features: u64,
    flags: u64,
    name: [u8; 64],
    version: [u8; 32],
    toolchain: [u8; 32],
    reserved: [u8; 32],
}

/// A text filled up with NUL.
const fn filled<const N: usize>(text: &[u8]) -> [u8; N] {
    let mut room = [0; N];
    let mut place = 0;
    while place < text.len() {
        room[place] = text[place];
        place += 1;
    }
    room
}

/// The section is the one of `BAHOST_PLUGIN`: read-only once the plugin is loaded, and not code.
#[no_mangle]
#[used]
#[link_section = ".data.rel.ro.bahost_plugin"]
pub static bahost_plugin: Tag = Tag {
    magic: filled(b"BAHOSTP"),
    struct_size: 192,
    abi_major: 0,
    abi_minor: 1,
    required_features: 0,
    flags: 0,
    name: filled(b"Legitimate, Rust"),
    version: filled(b"1.0"),
    toolchain: [0; 32],
    reserved: [0; 32],
};
