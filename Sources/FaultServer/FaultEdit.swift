/// One way in which an answer differs from the honest one.
package indirect enum FaultEdit: Sendable {
    /// As if no range had been asked for.
    case ignoresRange
    /// As if the range had no condition.
    case ignoresCondition
    /// An entity tag of its own for each request to the path.
    case freshTag
    case status(Int)
    /// Replaces a header; nil takes it out.
    case set(String, String?)
    /// One more line among the headers, as it is, with its line end.
    case line(String)
    /// Goes before the status line.
    case first(String)
    /// Of a 206 only: it begins so many bytes earlier, ends so many earlier, claims so many more.
    case range(startBy: Int = 0, endBy: Int = 0, totalBy: Int = 0)
    /// Declares so many bytes more than there are.
    case length(by: Int)
    /// One chunk and the last one.
    case chunked
    /// More bytes of body, declared by nobody.
    case append([UInt8])
    /// So many bytes of body, then an end.
    case cut(after: Int, FaultEnding)
    /// So many bytes of head, no body, then an end.
    case cutHead(after: Int, FaultEnding)
    /// The body a portion at a time with a pause after each.
    case drip(portion: Int, every: Duration)
    /// The head a portion at a time with a pause after each.
    case dripHead(portion: Int, every: Duration)
    case end(FaultEnding)
    /// These edits for an answer of this status only.
    case whenStatus(Int, [FaultEdit])
    /// These edits only for a request with this header, in lower case.
    case whenSent(String, [FaultEdit])
}

/// What comes after an answer.
package enum FaultEnding: Sendable {
    /// The next request of the same connection is waited for.
    case keepOpen
    case close
    /// A TCP reset.
    case reset
    /// Nothing, and no close.
    case stall
}
