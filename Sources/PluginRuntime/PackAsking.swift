internal import Glibc
internal import WireProtocol

/// Calls `bahost_should_download` once for each pack of a batch.
@safe struct PackAsking {
    private let link: HostLink
    private let row: EntryPointRow
    private let function: UnsafeMutableRawPointer

    init(link: HostLink, row: EntryPointRow, function: UnsafeMutableRawPointer) {
        self.link = link
        self.row = row
        unsafe self.function = function
    }

    /// Asks until the end, a reply that is not allowed, or the host's warning.
    ///
    /// - Returns: 0, or the reply that is not allowed; the host has been told all replies.
    func ask(_ batch: PackBatch) -> Int32 {
        link.beginAnswers()
        var status: Int32 = 0
        for pack in batch.packs {
            guard link.keepsAnswering() else { break }
            let reply = call(pack)
            link.append(answer: reply)
            // Negative is the plugin's own error with this pack; the others are asked all the same.
            if reply > 1 {
                status = reply
                break
            }
        }
        fflush(nil)
        link.sendAnswers()
        return status
    }

    private func call(_ pack: AssetPackDescription) -> Int32 {
        let status = link.whileInCall(with: { arena in
            unsafe [
                ForeignArgument.pointer(HostTable.pointer), .pointer(arena.assetPack(pack)),
            ]
        }) { unsafe row.call(function, $0) }
        guard let status else { WorkerExit.protocolBroken.end() }
        return status
    }
}
