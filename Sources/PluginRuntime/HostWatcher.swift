internal import Glibc
internal import LinuxSystem
internal import Synchronization
internal import WireProtocol

/// The thread that waits for the host's last word: a byte is a reason for `bahost_will_terminate`,
/// the end of the control pipe is the end of the host.
enum HostWatcher {
    /// The plugin's function as an address; 0 without one.
    private static let function = Atomic<UInt>(0)

    static func start() throws(SystemError) {
        var thread = pthread_t()
        let status = unsafe pthread_create(
            &thread, nil,
            { _ in
                HostWatcher.run()
                return nil
            }, nil)
        guard status == 0 else {
            throw SystemError(call: "pthread_create", subject: "watcher", code: status)
        }
    }

    static func setFunction(_ address: UnsafeMutableRawPointer?) {
        function.store(UInt(bitPattern: address), ordering: .sequentiallyConsistent)
    }

    private static func run() {
        var room: [UInt8] = [0]
        while true {
            switch DescriptorIO.read(WorkerDescriptor.control, into: &room) {
            case .moved: tell(UInt32(room[0]))
            case .wouldBlock:
                var poll = PollSet()
                poll.add(WorkerDescriptor.control)
                try? poll.wait(timeout: nil)
            case .ended, .failed: WorkerExit.hostGone.end()
            }
        }
    }

    private static func tell(_ reason: UInt32) {
        HostTable.link.closeAnswers()
        let address = function.load(ordering: .sequentiallyConsistent)
        guard let function = unsafe UnsafeMutableRawPointer(bitPattern: address),
            let row = EntryPointTable.row(.willTerminate)
        else { return }
        unsafe _ = row.call(function, [.pointer(HostTable.pointer), .uint32(reason)])
    }
}
