import HostSettings
import Testing

@Suite struct HostSettingsTests {
}
