import Testing
import URLPolicy

struct IPAddressTests {
    @Test(arguments: [
        ("127.0.0.1", AddressClass.loopback), ("127.255.255.255", .loopback),
        ("126.255.255.255", .publicInternet), ("128.0.0.0", .publicInternet),
        ("10.0.0.0", .privateNetwork), ("10.255.255.255", .privateNetwork),
        ("11.0.0.0", .publicInternet), ("9.255.255.255", .publicInternet),
        ("172.15.255.255", .publicInternet), ("172.16.0.0", .privateNetwork),
        ("172.31.255.255", .privateNetwork), ("172.32.0.0", .publicInternet),
        ("192.168.0.0", .privateNetwork), ("192.169.0.0", .publicInternet),
        ("169.254.169.254", .linkLocal), ("169.253.0.1", .publicInternet),
        ("0.0.0.0", .special), ("0.1.2.3", .special), ("1.0.0.0", .publicInternet),
        ("100.63.255.255", .publicInternet), ("100.64.0.0", .special),
        ("100.127.255.255", .special), ("100.128.0.0", .publicInternet),
        ("192.0.0.1", .special), ("192.0.2.1", .special), ("192.88.99.1", .special),
        ("198.17.255.255", .publicInternet), ("198.18.0.0", .special), ("198.19.255.255", .special),
        ("198.51.100.7", .special), ("203.0.113.7", .special), ("223.255.255.255", .publicInternet),
        ("224.0.0.1", .special), ("255.255.255.255", .special), ("93.184.216.34", .publicInternet),
    ])
    func classesOfIPv4(text: String, expected: AddressClass) throws {
        #expect(try #require(IPAddress(text: text)).addressClass == expected)
    }

    @Test(arguments: [
        ("::1", AddressClass.loopback), ("::", .special), ("::2", .special),
        ("fe80::1", .linkLocal), ("febf::1", .linkLocal), ("fec0::1", .special),
        ("fc00::1", .privateNetwork), ("fdff::1", .privateNetwork), ("fe00::1", .special),
        ("ff02::1", .special), ("2001:db8::1", .special), ("3fff::1", .special),
        ("2606:4700::1111", .publicInternet), ("2001:4860:4860::8888", .publicInternet),
        ("2001:200::1", .publicInternet), ("2001:1ff::1", .special), ("100::1", .special),
        ("4000::1", .special), ("::ffff:127.0.0.1", .loopback),
        ("::ffff:10.1.2.3", .privateNetwork),
        ("::ffff:8.8.8.8", .publicInternet), ("::ffff:169.254.1.1", .linkLocal),
        ("::127.0.0.1", .special), ("64:ff9b::8.8.8.8", .publicInternet),
        ("64:ff9b::10.0.0.1", .privateNetwork), ("64:ff9b::127.0.0.1", .special),
        ("64:ff9b:1::1", .special), ("2002:808:808::1", .publicInternet),
        ("2002:a00:1::1", .privateNetwork), ("2002:7f00:1::1", .special),
        ("2001:0:1:2:3:4:f7f7:f7f7", .publicInternet),
        ("2001:0:1:2:3:4:f5ff:fffe", .privateNetwork),
    ])
    func classesOfIPv6(text: String, expected: AddressClass) throws {
        #expect(try #require(IPAddress(text: text)).addressClass == expected)
    }

    @Test(arguments: [
        "", "1.2.3", "1.2.3.4.5", "01.2.3.4", "1.2.3.256", "1.2.3.", "0x7f.0.0.1", "1.2.3.4 ",
        "+1.2.3.4",
        ":", ":::", "1:2:3:4:5:6:7", "1:2:3:4:5:6:7:8:9", "1::2::3", "12345::", "::g",
        "1:2:3:4:5:6:7:8::",
        "::1.2.3", "1.2.3.4::", "fe80::1%eth0", "[::1]", "::1:", ":1::",
    ])
    func refusesWhatIsNoAddress(text: String) {
        #expect(IPAddress(text: text) == nil)
    }

    @Test(arguments: [
        ("2001:DB8:0:0:0:0:0:1", "2001:db8::1"), ("0:0:0:0:0:0:0:0", "::"),
        ("0:0:0:0:0:0:0:1", "::1"),
        ("1:0:0:2:0:0:0:3", "1:0:0:2::3"), ("1:0:2:3:4:5:6:7", "1:0:2:3:4:5:6:7"),
        ("::ffff:1.2.3.4", "::ffff:102:304"), ("1.2.3.4", "1.2.3.4"), ("fe80::", "fe80::"),
    ])
    func printsOneCanonicalForm(text: String, expected: String) throws {
        #expect(try #require(IPAddress(text: text)).description == expected)
    }

    @Test(arguments: [(3, false), (4, true), (5, false), (15, false), (16, true), (17, false)])
    func takesFourOrSixteenBytes(count: Int, isTaken: Bool) {
        #expect((IPAddress(bytes: [UInt8](repeating: 1, count: count)) != nil) == isTaken)
    }
}

struct AddressPolicyTests {
    private func refusal(
        _ text: String, _ scheme: RemoteURL.Scheme, loopback: Bool = false, privates: Bool = false
    ) throws -> URLRefusal? {
        AddressPolicy(allowsLoopback: loopback, allowsPrivate: privates)
            .refusal(of: try #require(IPAddress(text: text)), scheme: scheme)
    }

    @Test func byDefaultOnlyPublicAddressesOverHTTPS() throws {
        #expect(try refusal("8.8.8.8", .https) == nil)
        #expect(try refusal("8.8.8.8", .http)?.code == 1003)
        for text in ["127.0.0.1", "10.0.0.1", "169.254.169.254", "0.0.0.0", "::1", "fd00::1"] {
            #expect(try refusal(text, .https)?.code == 1010)
        }
    }

    @Test func loopbackAllowanceOpensHTTPForLoopbackOnly() throws {
        #expect(try refusal("127.0.0.1", .http, loopback: true) == nil)
        #expect(try refusal("::1", .https, loopback: true) == nil)
        #expect(try refusal("8.8.8.8", .http, loopback: true)?.code == 1003)
        #expect(try refusal("10.0.0.1", .https, loopback: true)?.code == 1010)
        #expect(try refusal("10.0.0.1", .http, loopback: true, privates: true)?.code == 1003)
    }

    @Test func privateAllowanceCoversLinkLocalAndNotLoopback() throws {
        #expect(try refusal("10.0.0.1", .https, privates: true) == nil)
        #expect(try refusal("fe80::1", .https, privates: true) == nil)
        #expect(try refusal("127.0.0.1", .https, privates: true)?.code == 1010)
    }

    @Test func specialAddressesAreNeverAllowed() throws {
        for text in ["0.0.0.0", "::", "224.0.0.1", "100.64.0.1", "2001:db8::1", "255.255.255.255"] {
            #expect(try refusal(text, .https, loopback: true, privates: true)?.code == 1010)
        }
    }

    @Test func refusalsNameTheFlag() throws {
        #expect(try refusal("127.0.0.1", .https)?.message.contains("--allow-loopback") == true)
        #expect(try refusal("10.0.0.1", .https)?.message.contains("--allow-private") == true)
    }
}
