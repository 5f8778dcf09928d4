import HTTPClient

/// The head of a server's answer, line by line.
enum AnswerTarget {
    static func check(_ input: [UInt8]) throws(BrokenPromise) {
        try FieldPromises.check(input)
        let first = read(input)
        try expect(first == read(input), "a head reads differently the second time")
        switch first {
        case .more: return
        case .unusable(let sentence): try expectPrintable(sentence, atMost: 256)
        case .finished(let head): try checkHead(head)
        }
    }

    /// Up to the step that ends the reading.
    static func read(_ input: [UInt8]) -> ResponseHeadParser.Step {
        var parser = ResponseHeadParser()
        var rest = input[...]
        while !rest.isEmpty {
            let end = rest.firstIndex(of: 0x0A).map { $0 + 1 } ?? rest.endIndex
            let step = parser.take(line: Array(rest[..<end]))
            guard step == .more else { return step }
            rest = rest[end...]
        }
        return .more
    }

    private static func checkHead(_ head: ResponseHead) throws(BrokenPromise) {
        try expect((200...999).contains(head.status), "status \(head.status) ends a head")
        // Both are sent back as they came.
        for mark in [head.entityTag, head.lastModified].compactMap(\.self) {
            try expect(
                HTTPHeader(name: "If-Range", value: mark) != nil,
                "\(mark.debugDescription) is kept and cannot be sent")
        }
        if let range = head.contentRange, let bounds = range.bounds, let total = range.total {
            try expect(bounds.upperBound < total, "a range passes its total")
        }
        for now in [Int64.min, 0, 1 << 40, .max] {
            guard let delay = head.retryDelay(nowSeconds: now) else { continue }
            try expect(delay >= .zero && delay <= .seconds(3_600), "a delay of \(delay)")
        }
        if let location = head.location, let base = try? URLParser.parse("https://a.example/b") {
            do throws(HTTPClientError) {
                _ = try URLParser.resolve(location, against: base)
            } catch {
                try expectPrintable("\(error)", atMost: 1_024)
            }
        }
    }
}
