import Glibc

/// The target that the program is named after.
private let target: FuzzTarget? = {
    let path = CommandLine.arguments.first ?? ""
    return FuzzTarget(rawValue: String(path.split(separator: "/").last ?? ""))
}()

/// What libFuzzer calls with each input; a broken promise ends the program as a crash does.
@c(LLVMFuzzerTestOneInput)
public func checkInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    // SAFETY: libFuzzer hands over `count` bytes that stay as they are until this returns.
    let input = unsafe Array(UnsafeBufferPointer(start: start, count: count))
    guard let target else {
        say("the program must be named after a target")
        exit(2)
    }
    do throws(BrokenPromise) {
        try target.check(input)
    } catch {
        say("broken promise: \(error)")
        abort()
    }
    return 0
}

private func say(_ sentence: String) {
    let line = Array("\(sentence)\n".utf8)
    _ = unsafe line.withUnsafeBytes { unsafe write(2, $0.baseAddress, $0.count) }
}
