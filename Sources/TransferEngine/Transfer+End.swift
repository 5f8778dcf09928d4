internal import HTTPClient
internal import LinuxSystem

/// The end of an order: verified and published, stopped, or failed.
extension Transfer {
    /// Compares what is on disk with what was agreed, and hands it to the publisher.
    func verify() throws(TransferFailure) -> Step {
        try partial?.flush()
        let length = receivedBytes
        if let agreed = order.expectedBytes, length != agreed {
            // Without a length of the server's own, a cut answer cannot be told from a short file.
            throw .sizeMismatch(agreed: agreed, found: "\(length)", isRetryable: length < agreed)
        }
        if let total, length < total { throw .cutShort(length, of: total) }
        guard let found = try partial?.digest() else { return awaitHash() }
        if let agreed = order.sha256, agreed != found {
            if isJoinedUnproven { return try restart(because: "bytes of another version") }
            throw .digestMismatch(agreed: agreed, found: found)
        }
        guard let file = partial?.file else { return awaitHash() }
        context.cap?.leave(order.id)
        finished = FinishedTransfer(id: order.id, bytes: length, sha256: found)
        return .publish(PublishJob(id: order.id, file: file, destination: order.destination))
    }

    private func awaitHash() -> Step {
        partial?.advanceHash()
        guard let hash = partial?.hash else { return giveUp(.nothingOpen(order.partialPath)) }
        return .await(hash)
    }

    /// The hash that was waited for is there; one of bytes that were dropped is passed over.
    func caughtUp(_ hash: FollowingHash) -> Step? {
        guard partial?.hash === hash, finished == nil, exchange == nil else { return nil }
        return attempt { () throws(TransferFailure) in try verify() }
    }

    /// The publisher has failed: this machine's fault, and the partial stays.
    func notPublished(_ failure: TransferFailure) {
        finished = nil
        _ = giveUp(failure)
    }

    /// The last words when the caller ends it.
    func close() {
        settlePartial()
        emitCheckpoint()
        context.emit(.stopped(id: order.id))
    }

    /// The last checkpoint says what is left; a partial that nothing can come of is removed.
    func giveUp(_ failure: TransferFailure) -> Step {
        if failure.keepsPartial {
            settlePartial()
        } else {
            removePartial()
        }
        emitCheckpoint()
        context.emit(.failed(id: order.id, failure: failure))
        return .end
    }

    /// Keeps what is there; a file with nothing in it is not left behind.
    private func settlePartial() {
        context.cap?.leave(order.id)
        try? partial?.flush()
        if receivedBytes > 0 || untouchedState != nil {
            partial?.syncSoon()
        } else {
            removePartial()
        }
    }

    private func removePartial() {
        context.cap?.leave(order.id)
        partial?.file.remove()
        partial = nil
        untouchedState = nil
        validator = nil
        total = order.expectedBytes
    }
}
