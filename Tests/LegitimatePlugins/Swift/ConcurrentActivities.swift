import BackgroundAssets
import Dispatch

/// Work beside the entry point, which waits for it.
enum ConcurrentActivities {
    /// Runs asynchronous work to its end, as code does that is not asynchronous itself.
    private static func wait<Value: Sendable>(
        for work: @escaping @Sendable () async -> Value
    ) -> Value {
        let done = DispatchSemaphore(value: 0)
        let box = Locked<Value?>(nil)
        Task.detached {
            let value = await work()
            box.with { $0 = value }
            done.signal()
        }
        done.wait()
        guard let value = box.with({ $0 }) else { preconditionFailure("no value") }
        return value
    }

    private static func sum(_ numbers: Range<Int>) async -> Int {
        await Task.yield()
        return numbers.reduce(0, +)
    }

    static func task() -> String {
        let value = wait {
            let task = Task { await sum(0..<1000) }
            try? await Task.sleep(for: .milliseconds(5))
            return await task.value
        }
        precondition(value == 499_500)
        return "a task added up to \(value)"
    }

    static func asyncLet() -> String {
        let value = wait {
            async let low = sum(0..<500)
            async let high = sum(500..<1000)
            return await low + high
        }
        precondition(value == 499_500)
        return "async let added up to \(value)"
    }

    static func taskGroup() -> String {
        let value = wait {
            await withTaskGroup(of: Int.self) { group in
                for part in 0..<20 {
                    group.addTask { await sum(part * 50..<(part + 1) * 50) }
                }
                return await group.reduce(0, +)
            }
        }
        precondition(value == 499_500)
        return "a task group added up to \(value)"
    }

    private actor Counter {
        private(set) var count = 0

        func add() { count += 1 }
    }

    static func actorCalls() -> String {
        let counter = Counter()
        let value = wait {
            await withTaskGroup(of: Void.self) { group in
                for _ in 0..<100 { group.addTask { await counter.add() } }
            }
            return await counter.count
        }
        precondition(value == 100)
        return "an actor counted to \(value)"
    }

    static func serialQueue() -> String {
        let queue = DispatchQueue(label: "serial")
        let seen = Locked<[Int]>([])
        for number in 0..<100 { queue.async { seen.with { $0.append(number) } } }
        queue.sync {}
        precondition(seen.with { $0 } == Array(0..<100))
        return "a serial queue kept the order"
    }

    static func concurrentQueue() -> String {
        let group = DispatchGroup()
        let sum = Locked(0)
        for number in 0..<100 {
            DispatchQueue.global().async(group: group) { sum.with { $0 += number } }
        }
        let late = Locked(false)
        group.enter()
        DispatchQueue.global().asyncAfter(deadline: .now() + .milliseconds(10)) {
            late.with { $0 = true }
            group.leave()
        }
        precondition(group.wait(timeout: .now() + .seconds(20)) == .success)
        DispatchQueue.concurrentPerform(iterations: 8) { number in sum.with { $0 += number } }
        precondition(sum.with { $0 } == 4950 + 28)
        precondition(late.with { $0 })
        return "a concurrent queue added up to \(sum.with { $0 })"
    }

    static func mainQueue() -> String {
        let ran = Locked(false)
        DispatchQueue.main.async { ran.with { $0 = true } }
        let deadline = Date(timeIntervalSinceNow: 20)
        while !ran.with({ $0 }), Date() < deadline {
            _ = RunLoop.main.run(mode: .default, before: Date(timeIntervalSinceNow: 0.1))
        }
        precondition(ran.with { $0 })
        return "the main queue ran"
    }

    static func thread() -> String {
        let done = DispatchSemaphore(value: 0)
        let sum = Locked(0)
        for number in 1...4 {
            Thread.detachNewThread {
                if !Thread.isMainThread { sum.with { $0 += number } }
                done.signal()
            }
        }
        for _ in 1...4 { done.wait() }
        precondition(sum.with { $0 } == 10)
        return "four threads ran"
    }
}

/// A value that threads share.
private final class Locked<Value>: @unchecked Sendable {
    private let lock = NSLock()
    private var value: Value

    init(_ value: Value) { self.value = value }

    func with<Result>(_ body: (inout Value) -> Result) -> Result {
        lock.lock()
        defer { lock.unlock() }
        return body(&value)
    }
}
