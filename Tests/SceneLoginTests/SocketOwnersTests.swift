import Glibc
import LinuxIO
import Testing

@testable import SceneLogin

@Suite(.timeLimit(.minutes(1)))
struct SocketOwnersTests {
    /// Our ends of connections to a listener.
    private func accept(_ listener: borrowing OwnedDescriptor) throws -> OwnedDescriptor {
        var ready = pollfd(fd: listener.raw, events: Int16(POLLIN), revents: 0)
        #expect(poll(&ready, 1, 20_000) == 1)
        let raw = Glibc.accept(listener.raw, nil, nil)
        try #require(raw >= 0)
        return OwnedDescriptor(raw)
    }

    @Test(arguments: [RawBrowser.Family.ipv4, .ipv4InIPv6])
    func anEndOfOurOwn(family: RawBrowser.Family) throws {
        let owners = try SocketOwners()
        let listener = try ListenSocket.open(isIPv6: false, port: 0)
        let browser = try #require(RawBrowser(port: try ListenSocket.port(of: listener.raw), family))
        let connection = try accept(listener)
        #expect(owners.uid(ofPeer: connection.raw) == geteuid())
        _ = browser
    }

    @Test func anEndThatIsGone() throws {
        let owners = try SocketOwners()
        let listener = try ListenSocket.open(isIPv6: false, port: 0)
        let port = try ListenSocket.port(of: listener.raw)
        var browser = RawBrowser(port: port)
        let connection = try accept(listener)
        #expect(owners.uid(ofPeer: connection.raw) == geteuid())
        browser?.send("GET / HTTP/1.1\r\n".utf8)
        browser = nil
        #expect(owners.uid(ofPeer: connection.raw) == nil)
    }

    @Test func whatIsNoConnection() throws {
        let owners = try SocketOwners()
        let listener = try ListenSocket.open(isIPv6: false, port: 0)
        #expect(owners.uid(ofPeer: listener.raw) == nil)
        #expect(owners.uid(ofPeer: -1) == nil)
        var pair: [Int32] = [-1, -1]
        #expect(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &pair) == 0)
        #expect(owners.uid(ofPeer: pair[0]) == nil)
        for descriptor in pair { close(descriptor) }
    }
}
