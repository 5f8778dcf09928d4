import Conformance
import Testing

@Suite struct ConformanceTests {
}
