// The tag of a plugin written in Swift. Linked by BackgroundAssets, so that a dynamic library with
// an extension in it is a plugin without a line of C.
//
// Name and version are empty: the host then shows the file's name, and the app's Info.plist says
// the rest. A package that wants its own words adds a C target with
//
//     BAHOST_PLUGIN_EX("Episodes", "2.1",
//         BAHOST_TAG_REGISTERS_BY_MAIN | BAHOST_TAG_USES_SWIFT, "swift-6.3", 0);
//
// whose definition replaces this one, which is weak.
#include "CPluginTag.h"

// "swift-<major>.<minor>" of the compiler, given by Package.swift.
#ifndef BAHOST_SWIFT_TOOLCHAIN
#error "BAHOST_SWIFT_TOOLCHAIN is not set: Package.swift passes the compiler's version"
#endif

extern bahost_tag bahost_plugin __attribute__((weak));

BAHOST_PLUGIN_EX(
    "", "", BAHOST_TAG_REGISTERS_BY_MAIN | BAHOST_TAG_USES_SWIFT, BAHOST_SWIFT_TOOLCHAIN, 0);
