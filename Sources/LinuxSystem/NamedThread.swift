internal import Glibc

/// A thread for a blocking loop, with a name that `top -H` shows.
///
/// pthreads(7).
///
/// All signals are blocked in it: they go to the thread that waits for them, and a write to a closed
/// socket gives EPIPE in place of SIGPIPE.
package struct NamedThread: ~Copyable, Sendable {
    private let number: pthread_t

    /// Starts the thread.
    ///
    /// The name has at most 15 bytes, the kernel's limit. `pthread_create(3)`.
    package init(
        _ name: String, _ body: @escaping @Sendable () -> Void
    ) throws(SystemError) {
        let start = ThreadStart(name: name, body: body)
        var created = pthread_t()
        // SAFETY: the thread takes over the one reference that is made here.
        let context = unsafe Unmanaged.passRetained(start).toOpaque()
        let code = unsafe pthread_create(
            &created, nil,
            { context in
                guard let context = unsafe context else { return nil }
                unsafe Unmanaged<ThreadStart>.fromOpaque(context).takeRetainedValue().run()
                return nil
            }, context)
        guard code == 0 else {
            unsafe Unmanaged<ThreadStart>.fromOpaque(context).release()
            throw SystemError(call: "pthread_create", subject: name, code: code)
        }
        number = created
    }

    deinit {
        pthread_detach(number)
    }

    /// True on the thread itself, which must not join itself.
    package var isCurrent: Bool { pthread_equal(number, pthread_self()) != 0 }

    /// Waits for the thread's end.
    ///
    /// `pthread_join(3)`.
    package consuming func join() {
        let number = self.number
        discard self
        _ = pthread_join(number, nil)
    }
}

private final class ThreadStart: Sendable {
    private let name: String
    private let body: @Sendable () -> Void

    init(name: String, body: @escaping @Sendable () -> Void) {
        self.name = name
        self.body = body
    }

    func run() {
        var all = sigset_t()
        unsafe sigfillset(&all)
        unsafe _ = pthread_sigmask(SIG_BLOCK, &all, nil)
        takeName()
        body()
    }

    /// A thread's name is a file; without /proc it keeps its parent's.
    ///
    /// proc_pid_comm(5).
    private func takeName() {
        guard let file = try? Descriptor.open("/proc/thread-self/comm", flags: O_WRONLY) else {
            return
        }
        _ = DescriptorIO.write(file.raw, Array(name.utf8)[...])
    }
}
