/// A binary heap: the least element is found at once, adding and taking cost log n.
struct PriorityQueue<Element: Comparable & Sendable>: Sendable {
    private var heap: [Element] = []

    var first: Element? { heap.first }
    var count: Int { heap.count }

    mutating func insert(_ element: Element) {
        heap.append(element)
        var child = heap.count - 1
        while child > 0 {
            let parent = (child - 1) / 2
            guard heap[child] < heap[parent] else { return }
            heap.swapAt(child, parent)
            child = parent
        }
    }

    mutating func removeFirst() -> Element? {
        guard let least = heap.first, let last = heap.popLast() else { return nil }
        guard !heap.isEmpty else { return least }
        heap[0] = last
        var parent = 0
        while let child = lesserChild(of: parent), heap[child] < heap[parent] {
            heap.swapAt(child, parent)
            parent = child
        }
        return least
    }

    /// Keeps only what `isWanted` says.
    mutating func removeAll(unless isWanted: (Element) -> Bool) {
        let kept = heap.filter(isWanted)
        heap.removeAll(keepingCapacity: true)
        for element in kept { insert(element) }
    }

    private func lesserChild(of parent: Int) -> Int? {
        let left = parent * 2 + 1
        guard left < heap.count else { return nil }
        let right = left + 1
        return right < heap.count && heap[right] < heap[left] ? right : left
    }
}
