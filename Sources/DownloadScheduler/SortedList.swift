/// Elements in ascending order, each at most once.
///
/// For lists that are short: finding costs log n, adding and taking move what lies behind.
struct SortedList<Element: Comparable & Sendable>: Sendable {
    private(set) var elements: [Element] = []

    var count: Int { elements.count }
    var first: Element? { elements.first }
    var last: Element? { elements.last }

    mutating func insert(_ element: Element) {
        elements.insert(element, at: place(of: element))
    }

    /// Removes what equals `element`, if it is there.
    mutating func remove(_ element: Element) {
        let index = place(of: element)
        guard index < elements.count, elements[index] == element else { return }
        elements.remove(at: index)
    }

    /// The index of the first element that does not come before `element`.
    private func place(of element: Element) -> Int {
        // What is new mostly goes to the end.
        if let last = elements.last, last < element { return elements.count }
        var low = 0
        var high = elements.count
        while low < high {
            let middle = (low + high) / 2
            if elements[middle] < element { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
