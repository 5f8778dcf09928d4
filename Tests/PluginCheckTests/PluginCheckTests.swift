import PluginCheck
import Testing

@Suite struct PluginCheckTests {
}
