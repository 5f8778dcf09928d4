/// What a technique is aimed at; the raw value is the record's word.
package enum ConformanceGroup: String, Hashable, Sendable, CaseIterable {
    case memory
    case time
    case processor
    case descriptors
    case file
    case written
    case processes
    case threads
    case network
    case fileSystem = "file system"
    case signals
    case otherProcesses = "other processes"
    case kernel
    case protocolMessages = "protocol"
    case floods
    case exits
    case replies
    case loading

    /// What its numbers begin with; never changes.
    package var letter: Character {
        switch self {
        case .memory: "M"
        case .time: "T"
        case .processor: "C"
        case .descriptors: "D"
        case .file: "F"
        case .written: "W"
        case .processes: "P"
        case .threads: "H"
        case .network: "N"
        case .fileSystem: "S"
        case .signals: "G"
        case .otherProcesses: "O"
        case .kernel: "K"
        case .protocolMessages: "R"
        case .floods: "L"
        case .exits: "X"
        case .replies: "A"
        case .loading: "E"
        }
    }
}
