/// One entry of the dynamic symbol table: `Elf64_Sym` of elf(5).
package struct ElfSymbol: Hashable, Sendable {
    package enum Kind: Hashable, Sendable { case none, object, function, indirect, other }
    package enum Binding: Hashable, Sendable { case local, global, weak, unique, other }
    package enum Visibility: Hashable, Sendable { case normal, `internal`, hidden, protected }

    static let size: UInt64 = 24

    package let address: UInt64
    package let size: UInt64
    package let kind: Kind
    package let binding: Binding
    package let visibility: Visibility
    /// 0: not here but needed from elsewhere; from 0xff00 on: not in any section.
    package let sectionIndex: UInt16
    /// True for an old version kept beside the default one (bit 15 of its DT_VERSYM entry).
    package let isOldVersion: Bool

    /// True when `dlsym` on this file finds it.
    package var isExported: Bool {
        guard sectionIndex != 0, !isOldVersion else { return false }
        guard binding == .global || binding == .weak || binding == .unique else { return false }
        return visibility == .normal || visibility == .protected
    }

    /// True when its address is one in the file and moves with it.
    var isRelative: Bool { sectionIndex != 0 && sectionIndex < 0xff00 }

    init(bytes: RawSpan, at offset: UInt64, version: UInt16) throws(PluginImageError) {
        let info = try bytes.load(UInt8.self, at: offset + 4)
        switch info & 15 {
        case 0: kind = .none
        case 1: kind = .object
        case 2: kind = .function
        case 10: kind = .indirect
        default: kind = .other
        }
        switch info >> 4 {
        case 0: binding = .local
        case 1: binding = .global
        case 2: binding = .weak
        case 10: binding = .unique
        default: binding = .other
        }
        switch try bytes.load(UInt8.self, at: offset + 5) & 3 {
        case 1: visibility = .internal
        case 2: visibility = .hidden
        case 3: visibility = .protected
        default: visibility = .normal
        }
        sectionIndex = try bytes.load(UInt16.self, at: offset + 6)
        address = try bytes.load(UInt64.self, at: offset + 8)
        size = try bytes.load(UInt64.self, at: offset + 16)
        isOldVersion = version & 0x8000 != 0
    }
}
