internal import CFFI
package import WireProtocol

/// A C type of an entry point's parameter or result.
package enum ForeignType: Hashable, Sendable {
    case pointer
    case int32
    case uint32
    case nothing
}

/// How one entry point is called: one row per symbol of SDK/ABI.md.
package struct EntryPointRow: Hashable, Sendable {
    package let entry: EntryPoint

    /// The minor of ABI 0 that brought it.
    package let sinceMinor: UInt16
    package let parameters: [ForeignType]
    package let result: ForeignType

    /// What its absence counts as.
    package let absentStatus: Int32

    init(
        _ entry: EntryPoint, _ parameters: [ForeignType], _ result: ForeignType = .int32,
        absent: Int32 = 0, since: UInt16 = 1
    ) {
        self.entry = entry
        sinceMinor = since
        self.parameters = parameters
        self.result = result
        absentStatus = absent
    }
}

package enum EntryPointTable {
    package static let rows: [EntryPointRow] = [
        EntryPointRow(.install, [.pointer, .pointer]),
        EntryPointRow(.update, [.pointer, .pointer]),
        EntryPointRow(.checkForUpdates, [.pointer, .pointer]),
        EntryPointRow(.shouldDownload, [.pointer, .pointer], absent: 1),
        EntryPointRow(.downloadFinished, [.pointer, .pointer, .pointer], absent: 1),
        EntryPointRow(.downloadFailed, [.pointer, .pointer, .pointer]),
        EntryPointRow(
            .authenticationChallenge, [.pointer, .pointer, .pointer, .pointer], absent: 1),
        EntryPointRow(.willTerminate, [.pointer, .uint32], .nothing),
    ]

    package static func row(_ entry: EntryPoint) -> EntryPointRow? {
        rows.first { $0.entry == entry }
    }
}

/// An argument for ``EntryPointRow/call(_:_:)``.
@safe enum ForeignArgument {
    case pointer(UnsafeRawPointer?)
    case uint32(UInt32)

    /// The 64 bits whose first bytes libffi reads: all our machines are little-endian.
    fileprivate var bits: UInt64 {
        switch self {
        case .pointer(let pointer): UInt64(UInt(bitPattern: pointer))
        case .uint32(let number): UInt64(number)
        }
    }
}

extension ForeignType {
    fileprivate var libraryType: UnsafeMutablePointer<ffi_type> {
        switch self {
        case .pointer: unsafe bah_ffi_pointer()
        case .int32: unsafe bah_ffi_sint32()
        case .uint32: unsafe bah_ffi_uint32()
        case .nothing: unsafe bah_ffi_void()
        }
    }
}

extension EntryPointRow {
    /// Calls a function of this row's type.
    ///
    /// ffi_call(3).
    ///
    /// - Returns: Its result, 0 for `.nothing`; nil when libffi cannot make such a call.
    func call(_ function: UnsafeMutableRawPointer, _ arguments: [ForeignArgument]) -> Int32? {
        guard arguments.count == parameters.count else { return nil }
        var types: [UnsafeMutablePointer<ffi_type>?] = unsafe parameters.map {
            unsafe $0.libraryType
        }
        var values = arguments.map(\.bits)
        return unsafe types.withUnsafeMutableBufferPointer { types in
            unsafe values.withUnsafeMutableBufferPointer { values in
                unsafe invoke(function, types, values)
            }
        }
    }

    private func invoke(
        _ function: UnsafeMutableRawPointer,
        _ types: UnsafeMutableBufferPointer<UnsafeMutablePointer<ffi_type>?>,
        _ values: UnsafeMutableBufferPointer<UInt64>
    ) -> Int32? {
        var interface = unsafe ffi_cif()
        let status = unsafe ffi_prep_cif(
            &interface, FFI_DEFAULT_ABI, UInt32(types.count), result.libraryType,
            types.baseAddress)
        guard status == FFI_OK, let first = values.baseAddress else { return nil }
        var places: [UnsafeMutableRawPointer?] = unsafe values.indices.map {
            unsafe UnsafeMutableRawPointer(first + $0)
        }
        // libffi widens a result to a register: ffi_arg.
        var answer: UInt64 = 0
        // SAFETY: the function was found in the plugin under this row's name, whose C type the
        // SDK header fixes; what it does is the plugin's business, in its own process.
        unsafe ffi_call(
            &interface, unsafeBitCast(function, to: (@convention(c) () -> Void).self), &answer,
            &places)
        return result == .nothing ? 0 : Int32(truncatingIfNeeded: answer)
    }
}
