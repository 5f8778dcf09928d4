internal import CPluginSDK
internal import Glibc
internal import LinuxSystem
internal import WireProtocol

/// The table of host functions that every entry point is given.
///
/// Each function first looks that it was given the table, then that an entry point is on the
/// stack, then reads what the plugin's pointers lead to, and only then asks the host.
enum HostTable {
    /// Feature bits this host has: mirrors (bit 0).
    static let features: UInt64 = 1

    static let link = HostLink(WorkerDescriptor.link)

    /// The table at its place, made once and never freed.
    // nonisolated(unsafe): made once, never changed by us, and the plugin's copy of the truth.
    nonisolated(unsafe) static let pointer: UnsafePointer<bahost_host> = {
        let table = UnsafeMutablePointer<bahost_host>.allocate(capacity: 1)
        unsafe table.initialize(to: make())
        return unsafe UnsafePointer(table)
    }()

    private static func make() -> bahost_host {
        var table = unsafe bahost_host()
        unsafe table.struct_size = UInt32(MemoryLayout<bahost_host>.size)
        unsafe table.abi_major = UInt16(BAHOST_ABI_MAJOR)
        unsafe table.abi_minor = UInt16(BAHOST_ABI_MINOR)
        unsafe table.features = features
        unsafe table.log = { unsafe HostTable.log($0, $1, $2, $3) }
        unsafe table.schedule = { unsafe HostTable.schedule($0, $1) }
        unsafe table.cancel = { unsafe HostTable.cancel($0, $1) }
        unsafe table.current_downloads = {
            unsafe HostTable.currentDownloads($0, $1, $2, $3, $4)
        }
        unsafe table.acquire_exclusive = { unsafe HostTable.acquireExclusive($0, $1) }
        unsafe table.release_exclusive = { unsafe HostTable.releaseExclusive($0) }
        unsafe table.remaining = { unsafe HostTable.remaining($0, $1) }
        // Nothing has been added later yet.
        unsafe table.query = { _, _ in nil }
        return unsafe table
    }

    private static func isTable(_ host: UnsafePointer<bahost_host>?) -> Bool {
        unsafe host == pointer
    }

    /// Tells the author through the host, and answers with the fault's number.
    static func refuse(
        _ function: String, _ fault: ArgumentFault, identifier: String = ""
    ) -> Int32 {
        let sentence = "\(function): \(fault.sentence)"
        link.note(.refused(identifier: identifier, code: fault.code, sentence: sentence))
        return fault.code
    }

    /// Makes a call that is answered with a status.
    private static func status(
        _ host: UnsafePointer<bahost_host>?, _ function: String,
        _ makeCall: () throws(ArgumentFault) -> HostCall
    ) -> Int32 {
        guard link.admitsCall else { return BAHOST_STATUS_NOT_ALLOWED_NOW }
        guard unsafe isTable(host) else {
            return refuse(function, .bad("the first argument is not the host's table"))
        }
        let call: HostCall
        do { call = try makeCall() } catch { return refuse(function, error) }
        return ask(call)
    }

    private static func ask(_ call: HostCall) -> Int32 {
        link.ask(call) { reply, _ in
            guard case .status(let status) = reply else { WorkerExit.protocolBroken.end() }
            return status
        } ?? BAHOST_STATUS_NOT_ALLOWED_NOW
    }

    private static func log(
        _ host: UnsafePointer<bahost_host>?, _ level: Int32, _ text: UnsafePointer<CChar>?,
        _ length: UInt64
    ) {
        guard link.admitsCall else { return }
        guard unsafe isTable(host), unsafe text != nil || length == 0 else {
            let fault = ArgumentFault.bad(
                unsafe isTable(host)
                    ? "text is NULL" : "the first argument is not the host's table")
            _ = refuse("log", fault)
            return
        }
        // A character may straddle the bound: it is read whole, and the text cut before it.
        let count = Int(min(length, UInt64(WireBound.logLineBytes + 3)))
        let bytes = unsafe [UInt8](UnsafeRawBufferPointer(start: text, count: count))
        link.note(.log(level: min(max(level, 0), 4), text: LogText.make(bytes)))
    }

    private static func schedule(
        _ host: UnsafePointer<bahost_host>?,
        _ request: UnsafePointer<bahost_download_request>?
    ) -> Int32 {
        guard link.admitsCall else { return BAHOST_STATUS_NOT_ALLOWED_NOW }
        guard unsafe isTable(host) else {
            return refuse("schedule", .bad("the first argument is not the host's table"))
        }
        var reader = WishReader()
        do { try unsafe reader.read(request) } catch {
            return refuse("schedule", error, identifier: reader.wish.identifier)
        }
        return ask(.schedule(reader.wish))
    }

    private static func cancel(
        _ host: UnsafePointer<bahost_host>?, _ identifier: UnsafePointer<CChar>?
    ) -> Int32 {
        unsafe status(host, "cancel") { () throws(ArgumentFault) in
            .cancel(
                identifier: try unsafe PluginMemory.text(
                    identifier, "identifier", atMost: WireBound.identifierBytes))
        }
    }

    private static func acquireExclusive(
        _ host: UnsafePointer<bahost_host>?, _ timeout: Int64
    ) -> Int32 {
        unsafe status(host, "acquire_exclusive") { () throws(ArgumentFault) in
            guard timeout >= -1 else { throw .bad("timeout_ms is \(timeout), below -1") }
            return .acquireExclusive(timeoutMilliseconds: timeout)
        }
    }

    private static func releaseExclusive(_ host: UnsafePointer<bahost_host>?) -> Int32 {
        unsafe status(host, "release_exclusive") { () throws(ArgumentFault) in .releaseExclusive }
    }

    private static func remaining(_ host: UnsafePointer<bahost_host>?, _ what: UInt32) -> Int64 {
        guard link.admitsCall, (1...5).contains(what) else { return 0 }
        guard unsafe isTable(host) else {
            _ = refuse("remaining", .bad("the first argument is not the host's table"))
            return 0
        }
        return link.ask(.remaining(what: what)) { reply, _ in
            guard case .value(let value) = reply else { WorkerExit.protocolBroken.end() }
            return value
        } ?? 0
    }
}
