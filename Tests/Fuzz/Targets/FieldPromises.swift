import HTTPClient

/// The value of every line, read as each of the headers that have a form of their own.
enum FieldPromises {
    static func check(_ input: [UInt8]) throws(BrokenPromise) {
        for line in input.split(separator: 0x0A).prefix(4) {
            let colon = line.firstIndex(of: UInt8(ascii: ":")) ?? line.startIndex
            let value = line[colon...].dropFirst()
            let text = String(decoding: value, as: UTF8.self)
            try checkRange(text)
            try checkDelay(Array(value))
            try checkDate(Array(value))
        }
    }

    private static func checkRange(_ text: String) throws(BrokenPromise) {
        guard let range = ContentRange(untrusted: text) else { return }
        try expect(
            text.utf8.allSatisfy { (0x20...0x7E).contains($0) },
            "\(text.debugDescription) is a range")
        let total = range.total.map { "\($0)" } ?? "*"
        let bounds = range.bounds.map { "\($0.lowerBound)-\($0.upperBound)" } ?? "*"
        try expect(
            ContentRange(untrusted: "bytes \(bounds)/\(total)") == range,
            "\(text.debugDescription) is another range than it says")
        guard let last = range.bounds?.upperBound else { return }
        try expect(last < range.total ?? .max || range.total == nil, "a range passes its total")
    }

    private static func head(_ status: Int, _ name: String, _ value: [UInt8]) -> ResponseHead? {
        let head = Array("HTTP/1.1 \(status) X\r\n\(name): ".utf8) + value + Array("\n\r\n".utf8)
        guard case .finished(let found) = AnswerTarget.read(head) else { return nil }
        return found
    }

    private static func checkDelay(_ value: [UInt8]) throws(BrokenPromise) {
        guard var found = head(503, "Retry-After", value) else { return }
        let digits = String(decoding: value, as: UTF8.self).split(separator: " ")
        for date in [nil, Int64.min, 0, .max] {
            found.dateSeconds = date
            for now in [Int64.min, 0, 1 << 33, .max] {
                let delay = found.retryDelay(nowSeconds: now)
                try expect(
                    delay.map { $0 >= .zero && $0 <= .seconds(3_600) } ?? true,
                    "a delay of \(String(describing: delay))")
                guard digits.count == 1, let seconds = UInt32(digits[0]), digits[0].first != "+"
                else { continue }
                try expect(
                    delay == .seconds(min(Int64(seconds), 3_600)), "\(seconds) s are not kept")
            }
        }
    }

    /// A date in the one form that RFC 9110 §5.6.7 wants sent is the second that it names.
    private static func checkDate(_ value: [UInt8]) throws(BrokenPromise) {
        guard let found = head(200, "Date", value)?.dateSeconds else { return }
        try expect(found >= 0, "a date before 1970")
        let words = String(decoding: value, as: UTF8.self).split(separator: " ").map(String.init)
        let days = ["Sun,", "Mon,", "Tue,", "Wed,", "Thu,", "Fri,", "Sat,"]
        guard words.count == 6, days.contains(words[0]), words[5] == "GMT",
            let month = months.firstIndex(of: words[2]),
            let day = number(words[1], 1...28), let year = number(words[3], 1_970...9_999)
        else { return }
        let clock = words[4].split(separator: ":", omittingEmptySubsequences: false)
        guard clock.count == 3, let hour = number(clock[0], 0...23),
            let minute = number(clock[1], 0...59), let second = number(clock[2], 0...59)
        else { return }
        let seconds = (daysSince1970(year, month, day) * 24 + hour) * 3_600 + minute * 60 + second
        try expect(found == seconds, "\(words) is \(found) and not \(seconds)")
    }

    private static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]

    private static func number(_ text: some StringProtocol, _ range: ClosedRange<Int64>) -> Int64? {
        guard text.utf8.count == (range.upperBound > 99 ? 4 : 2),
            text.utf8.allSatisfy({ (48...57).contains($0) }), let value = Int64(text)
        else { return nil }
        return range.contains(value) ? value : nil
    }

    /// The month is counted from 0.
    private static func daysSince1970(_ year: Int64, _ month: Int, _ day: Int64) -> Int64 {
        let lengths: [Int64] = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
        func leaps(_ year: Int64) -> Int64 { year / 4 - year / 100 + year / 400 }
        let isLeap = leaps(year) > leaps(year - 1)
        return (year - 1_970) * 365 + leaps(year - 1) - leaps(1_969)
            + lengths[..<month].reduce(0, +) + (isLeap && month > 1 ? 1 : 0) + day - 1
    }
}
