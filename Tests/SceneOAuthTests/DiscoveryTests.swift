import SceneModel
import Testing

@testable import SceneOAuth

@Suite(.timeLimit(.minutes(1))) struct DiscoveryTests {
    @Test func isCachedForAnHour() async throws {
        let fake = try FakeLoginHost()
        try await withLoopHost { host in
            _ = try await host.authorize(fake.url)
            _ = try await host.authorize(fake.url + "/")
            // Room for a slow machine: its real seconds count as well.
            await host.advance(seconds: 2400)
            _ = try await host.authorize(fake.url)
            #expect(fake.server.requests.count == 1)
            await host.advance(seconds: 1201)
            _ = try await host.authorize(fake.url)
            #expect(fake.server.requests.count == 2)
        }
    }

    @Test func theHostSaysHowLong() async throws {
        let fake = try FakeLoginHost()
        let metadata = JSONValue.text(of: fake.metadata)
        fake.on(FakeLoginHost.discovery) { _ in .json(metadata, ["Cache-Control": "max-age=600"]) }
        try await withLoopHost { host in
            _ = try await host.authorize(fake.url)
            await host.advance(seconds: 601)
            _ = try await host.authorize(fake.url)
        }
        #expect(fake.server.requests.count == 2)
    }

    @Test func concurrentAskersShareOneFetch() async throws {
        let fake = try FakeLoginHost()
        let gate = Gate()
        let metadata = JSONValue.text(of: fake.metadata)
        fake.on(FakeLoginHost.discovery) { _ in
            gate.pass()
            return .json(metadata)
        }
        try await withLoopHost { host in
            let asker = Task { try await host.authorize(fake.url).state }
            let others = (0..<20).map { _ in Task { try await host.authorize(fake.url).state } }
            await fake.server.arrived.wait()
            // One that leaves, be it the first, does not take the others along.
            asker.cancel()
            await #expect(throws: OAuthFailure.cancelled) { try await asker.value }
            gate.open()
            var states: Set<String> = []
            for other in others { states.insert(try await other.value) }
            #expect(states.count == 20)
        }
        #expect(fake.server.requests.count == 1)
    }

    @Test func theLastToLeaveEndsTheFetch() async throws {
        let fake = try FakeLoginHost()
        fake.on(FakeLoginHost.discovery) { _ in .silence }
        try await withLoopHost { host in
            let asker = Task { try await host.authorize(fake.url) }
            await fake.server.arrived.wait()
            asker.cancel()
            await #expect(throws: OAuthFailure.cancelled) { try await asker.value }
            await fake.server.hungUp.wait()
            #expect(await host.transfers == 0)
        }
    }

    @Test(arguments: [
        ["revocation_endpoint", "device_authorization_endpoint"], ["device_authorization_endpoint"],
        ["revocation_endpoint"],
    ])
    func isCompletedByTheOtherDocument(missing: [String]) async throws {
        let fake = try FakeLoginHost()
        let whole = JSONValue.text(of: fake.metadata)
        let part = JSONValue.text(of: fake.metadata.filter { !missing.contains($0.key) })
        fake.on(FakeLoginHost.discovery) { _ in .json(part) }
        fake.on(FakeLoginHost.authorizationServer) { _ in .json(whole) }
        fake.on("/revoke") { _ in .answer(200) }
        let outcome = try await withLoopHost { try await $0.revoke(fake.url, refresh: "r", access: nil) }
        #expect(outcome == .revoked)
        #expect(fake.server.requests(to: FakeLoginHost.authorizationServer).count == 1)
    }

    @Test func theOtherDocumentAloneIsEnough() async throws {
        let fake = try FakeLoginHost()
        let metadata = JSONValue.text(of: fake.metadata)
        fake.on(FakeLoginHost.discovery) { _ in .answer(404, [:], "<html>") }
        fake.on(FakeLoginHost.authorizationServer) { _ in .json(metadata) }
        let pending = try await withLoopHost { try await $0.authorize(fake.url) }
        #expect(pending.issuer == fake.url)
    }

    @Test func aHostWithAPathIsAskedAtBothPlaces() async throws {
        let fake = try FakeLoginHost()
        try await withLoopHost { host in
            await #expect(throws: OAuthFailure.self) { try await host.authorize(fake.url + "/o/") }
        }
        #expect(
            fake.server.requests.map(\.path) == [
                "/o/.well-known/openid-configuration", "/.well-known/oauth-authorization-server/o",
                "/o/.well-known/oauth-authorization-server",
            ])
    }

    @Test(
        arguments: [
            .answer(503, ["Retry-After": "30"]), .answer(429, ["Retry-After": "30"]),
        ] as [ScriptedAnswer])
    func aFailureIsNotKept(answer: ScriptedAnswer) async throws {
        let fake = try FakeLoginHost()
        let metadata = JSONValue.text(of: fake.metadata)
        fake.on(FakeLoginHost.discovery) { _ in answer }
        try await withLoopHost { host in
            do {
                _ = try await host.authorize(fake.url)
                Issue.record("no failure")
            } catch OAuthFailure.unavailable(let seconds, _) {
                #expect(seconds == 30)
            }
            fake.on(FakeLoginHost.discovery) { _ in .json(metadata) }
            _ = try await host.authorize(fake.url)
        }
    }

    @Test func anOldDocumentHelpsThroughAnOutage() async throws {
        let fake = try FakeLoginHost()
        try await withLoopHost { host in
            _ = try await host.authorize(fake.url)
            fake.on(FakeLoginHost.discovery) { _ in .answer(500) }
            await host.advance(seconds: 7200)
            _ = try await host.authorize(fake.url)
            await host.advance(seconds: 86_400)
            await #expect(throws: OAuthFailure.self) { try await host.authorize(fake.url) }
        }
    }

    @Test(arguments: ["http://login.example.com", "", "nonsense"]) func badHosts(url: String) async throws {
        try await withLoopHost { host in
            await #expect {
                _ = try await host.authorize(url)
            } throws: {
                if case .invalid("invalid_url", _)? = $0 as? OAuthFailure { true } else { false }
            }
        }
    }
}
