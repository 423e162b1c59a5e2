import SceneModel
import Testing

@testable import SceneOAuth

@Suite(.timeLimit(.minutes(1))) struct HTTPClientTests {
    private func failure(
        of request: HTTPRequest, certificateFile: String? = nil
    ) async throws -> HTTPFailure? {
        try await withLoopHost(certificateFile: certificateFile) { host in
            do { _ = try await host.send(request) } catch { return error as? HTTPFailure }
            return nil
        }
    }

    @Test func getsAnAnswer() async throws {
        let server = try ScriptedServer { _ in
            .answer(201, ["X-One": "a", "Set-Cookie": "session=1"], "hello")
        }
        try await withLoopHost { host in
            for _ in 0..<2 {
                let response = try await host.send(HTTPRequest(url: server.url + "/x?y=z", headers: [("X-Two", "b")]))
                #expect(response.status == 201)
                #expect(response.headers["x-one"] == "a")
                #expect(response.body == Array("hello".utf8))
            }
            #expect(await host.transfers == 0)
        }
        #expect(server.requests.map(\.method) == ["GET", "GET"])
        #expect(server.requests.allSatisfy { $0.path == "/x?y=z" && $0.headers["x-two"] == "b" })
        #expect(server.requests.allSatisfy { $0.headers["cookie"] == nil && $0.headers["accept-encoding"] == nil })
    }

    @Test func sendsABody() async throws {
        let server = try ScriptedServer { _ in .answer(204) }
        let body = String(repeating: "a=b&", count: 20_000)
        let response = try await withLoopHost { host in
            try await host.send(HTTPRequest(method: "POST", url: server.url, body: Secret(body)))
        }
        #expect(response.status == 204)
        #expect(server.requests.map(\.body) == [body])
    }

    @Test func runsManyAtOnce() async throws {
        let server = try ScriptedServer { .answer(200, [:], $0.path) }
        try await withLoopHost { host in
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 0..<60 {
                    group.addTask {
                        let response = try await host.send(HTTPRequest(url: server.url + "/\(number)"))
                        #expect(response.body == Array("/\(number)".utf8))
                    }
                }
                try await group.waitForAll()
            }
        }
    }

    @Test func resolvesLocalhost() async throws {
        let server = try ScriptedServer { _ in .answer(200) }
        let response = try await withLoopHost { host in
            try await host.send(HTTPRequest(url: "http://localhost:\(server.port)/"))
        }
        #expect(response.status == 200)
    }

    // MARK: Redirects

    @Test func staysWhereItIsUnlessToldToFollow() async throws {
        let server = try ScriptedServer { _ in .answer(302, ["Location": "/next"]) }
        let statuses = try await withLoopHost { host in
            [
                try await host.send(HTTPRequest(url: server.url)).status,
                try await host.send(
                    HTTPRequest(method: "POST", url: server.url, body: Secret("a"), followsRedirects: true)
                ).status,
                try await host.send(
                    HTTPRequest(url: server.url, headers: [("authorization", "Bearer x")], followsRedirects: true)
                ).status,
            ]
        }
        #expect(statuses == [302, 302, 302])
        #expect(server.requests(to: "/next").isEmpty)
    }

    @Test(arguments: [(5, 200, 6), (6, 302, 6)])
    func followsFiveRedirects(redirects: Int, status: Int, requests: Int) async throws {
        let server = try ScriptedServer { request in
            let number = Int(request.path.dropFirst()) ?? 0
            return number < redirects ? .answer(302, ["Location": "/\(number + 1)"], "old") : .answer(200, [:], "new")
        }
        let response = try await withLoopHost { host in
            try await host.send(HTTPRequest(url: server.url + "/0", followsRedirects: true))
        }
        #expect(response.status == status)
        #expect(response.body == Array((status == 200 ? "new" : "old").utf8))
        #expect(server.requests.count == requests)
    }

    @Test(arguments: ["http://192.0.2.1/", "file:///etc/passwd", "ftp://127.0.0.1/", "https://u:p@127.0.0.1/", ""])
    func followsNowhereElse(location: String) async throws {
        let server = try ScriptedServer { _ in .answer(302, ["Location": location]) }
        let response = try await withLoopHost { host in
            try await host.send(HTTPRequest(url: server.url, followsRedirects: true))
        }
        #expect(response.status == 302)
    }

    // MARK: Faults

    @Test(arguments: ["http://192.0.2.1/", "ftp://127.0.0.1/", "", "127.0.0.1"])
    func refusesAddresses(url: String) async throws {
        #expect(try await failure(of: HTTPRequest(url: url)) == .badURL)
    }

    @Test func refusesBrokenHeaders() async throws {
        let server = try ScriptedServer { _ in .answer(200) }
        for header in [("X", "a\r\nY: b"), ("X\n", "a"), ("", "a"), ("X:", "a"), ("X", "é")] {
            #expect(try await failure(of: HTTPRequest(url: server.url, headers: [header])) == .badURL)
        }
        #expect(server.requests.isEmpty)
    }

    @Test func connectionRefused() async throws {
        let server = try ScriptedServer { _ in .answer(200) }
        let url = server.url
        server.stop()
        guard case .unreachable = try await failure(of: HTTPRequest(url: url)) else {
            Issue.record("not unreachable")
            return
        }
    }

    @Test(arguments: [
        "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc", "HTTP/1.1 200 OK\r\nContent-", "", "SSH-2.0-OpenSSH\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nabc",
        "HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n",
    ])
    func brokenAnswers(answer: String) async throws {
        let server = try ScriptedServer { _ in .raw(answer) }
        guard case .interrupted = try await failure(of: HTTPRequest(url: server.url)) else {
            Issue.record("not interrupted")
            return
        }
    }

    @Test func oversize() async throws {
        let long = String(repeating: "x", count: 2000)
        let server = try ScriptedServer { request in
            switch request.path {
            case "/said": .answer(200, [:], long)
            case "/unsaid": .raw("HTTP/1.1 200 OK\r\n\r\n" + long)
            default: .raw("HTTP/1.1 200 OK\r\n" + String(repeating: "X: \(long)\r\n", count: 40) + "\r\n")
            }
        }
        for path in ["/said", "/unsaid", "/headers"] {
            #expect(try await failure(of: HTTPRequest(url: server.url + path, maximumBytes: 1999)) == .tooLarge)
        }
        #expect(try await failure(of: HTTPRequest(url: server.url + "/unsaid", maximumBytes: 2000)) == nil)
    }

    @Test func timeLimit() async throws {
        let server = try ScriptedServer { _ in .silence }
        #expect(
            try await failure(of: HTTPRequest(url: server.url, timeoutSeconds: 1))
                == .interrupted(reason: "no answer in time"))
        await server.hungUp.wait()
    }

    // MARK: The end

    @Test func cancellation() async throws {
        let server = try ScriptedServer { _ in .silence }
        try await withLoopHost { host in
            let task = Task { try await host.send(HTTPRequest(url: server.url)) }
            await server.arrived.wait()
            task.cancel()
            await #expect(throws: HTTPFailure.cancelled) { try await task.value }
            await server.hungUp.wait()
            #expect(await host.transfers == 0)
        }
    }

    @Test func aCancelledTaskSendsNothing() async throws {
        let server = try ScriptedServer { _ in .answer(200) }
        try await withLoopHost { host in
            let gate = Ended()
            let task = Task {
                await gate.wait()
                return try await host.send(HTTPRequest(url: server.url))
            }
            task.cancel()
            gate.signal()
            await #expect(throws: HTTPFailure.cancelled) { try await task.value }
        }
        #expect(server.requests.isEmpty)
    }

    /// Its connection would be of no use to another.
    @Test func aPostLeavesNoConnection() async throws {
        let server = try ScriptedServer { _ in .kept("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n") }
        try await withLoopHost { host in
            for _ in 0..<3 {
                _ = try await host.send(HTTPRequest(method: "POST", url: server.url, body: Secret("a")))
                await server.hungUp.wait()
            }
        }
    }

    @Test func aDestroyedClientLeavesNothing() async throws {
        let server = try ScriptedServer { _ in .silence }
        try await withLoopHost { host in
            let (results, continuation) = AsyncStream<Result<HTTPResponse, HTTPFailure>>.makeStream()
            for path in ["/a", "/b"] {
                await host.start(HTTPRequest(url: server.url + path, timeoutSeconds: 600)) { continuation.yield($0) }
                await server.arrived.wait()
            }
            await host.destroy()
            var seen = 0
            for await result in results {
                #expect(throws: HTTPFailure.cancelled) { try result.get() }
                seen += 1
                if seen == 2 { break }
            }
            await server.hungUp.wait()
            await server.hungUp.wait()
        }
    }
}
