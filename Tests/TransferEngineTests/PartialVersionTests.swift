import FaultServer
import Glibc
import LinuxSystem
import Testing
import TransferEngine

/// What a partial file says of its own bytes, for a host that ended without a word.
@Suite struct PartialVersionTests {
    private func said(_ fixture: TransferFixture) throws -> PartialVersion? {
        let file = try Descriptor.open(fixture.folder.path("partial-1"), flags: O_RDONLY)
        return PartialVersion(of: file.raw)
    }

    /// Whether this machine's temporary folder keeps such words at all.
    private func isKept(_ fixture: TransferFixture) throws -> Bool {
        fixture.put([1], as: "probe")
        let file = try Descriptor.open(fixture.folder.path("probe"), flags: O_RDWR)
        return FileMark.version.write("x", on: file.raw)
    }

    /// Stops an order in the middle of its body.
    private func stop(_ fixture: TransferFixture, _ order: TransferOrder) throws {
        fixture.engine.start(order)
        _ = try fixture.events.wait { events in
            events.first { if case .progress = $0 { true } else { false } }
        }
        fixture.engine.cancel(order.id)
        _ = try fixture.events.wait { events in events.first { $0.ends(order.id) } }
    }

    @Test(arguments: [255 << 10, 300 << 10]) func aLargePartSaysItsVersion(received: Int) throws {
        let content = FaultContent(TransferFixture.noise(400 << 10))
        let fixture = try TransferFixture(
            ["/f": .stall(content, after: received)], stallTime: .seconds(20))
        try stop(fixture, try fixture.order("/f"))
        let isSaid = try isKept(fixture) && received >= 256 << 10
        let version = try said(fixture)
        #expect(version?.validator.text == (isSaid ? "\"v1\"" : nil))
        #expect(version?.totalBytes == (isSaid ? 400 << 10 : nil))
    }

    /// Without a validator nothing is said, also by a file that said something before.
    @Test func aFileOfNoVersionSaysNothing() throws {
        let content = FaultContent(TransferFixture.noise(400 << 10), entityTag: nil)
        let fixture = try TransferFixture(
            ["/f": .stall(content, after: 300 << 10)], stallTime: .seconds(20))
        fixture.put([1, 2, 3], as: "partial-1")
        let earlier = try Descriptor.open(fixture.folder.path("partial-1"), flags: O_RDWR)
        FileMark.version.write("3 \"old\"", on: earlier.raw)
        try stop(fixture, try fixture.order("/f"))
        #expect(try said(fixture) == nil)
    }

    @Test(arguments: [
        ("400 \"v\"", 400 as UInt64?, "\"v\""), ("- \"v w\"", nil, "\"v w\""),
        ("7 Mon, 30 Nov 2026 10:00:00 GMT", 7, "Mon, 30 Nov 2026 10:00:00 GMT"),
    ])
    func whatItSaysIsRead(text: String, total: UInt64?, validator: String) throws {
        let fixture = try TransferFixture([:])
        guard try isKept(fixture) else { return }
        let file = try Descriptor.open(fixture.folder.path("probe"), flags: O_RDWR)
        FileMark.version.write(text, on: file.raw)
        let version = try #require(PartialVersion(of: file.raw))
        #expect(version.totalBytes == total)
        #expect(version.validator.text == validator)
    }

    @Test(arguments: ["", " ", "x", "400", "400 ", "x \"v\"", "-1 \"v\"", "4 W/\"v\"", "4 a\nb"])
    func anythingElseIsNothing(text: String) throws {
        let fixture = try TransferFixture([:])
        _ = try isKept(fixture)
        let file = try Descriptor.open(fixture.folder.path("probe"), flags: O_RDWR)
        FileMark.version.write(text, on: file.raw)
        #expect(PartialVersion(of: file.raw) == nil)
    }
}
