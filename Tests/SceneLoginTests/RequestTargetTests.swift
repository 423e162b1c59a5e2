import Testing

@testable import SceneLogin

struct RequestTargetTests {
    @Test(arguments: [
        ("/callback", "/callback", ""),
        ("/callback?", "/callback", ""),
        ("/callback?code=a%2Fb&state=c?d", "/callback", "code=a%2Fb&state=c?d"),
        ("", "", ""),
        ("?state=a", "", "state=a"),
        ("http://127.0.0.1:1/callback?state=a", "http://127.0.0.1:1/callback", "state=a"),
    ])
    func parts(text: String, path: String, query: String) {
        let target = RequestTarget(text)
        #expect(target.path == path)
        #expect(target.query == query)
    }

    @Test(
        arguments: [
            ("state=abc", .once("abc")),
            ("code=1&state=abc&iss=x", .once("abc")),
            ("state=a%2Db+c", .once("a-b c")),
            ("st%61te=abc", .once("abc")),
            ("state=", .once("")),
            ("state", .once("")),
            ("state=%", .once("%")),
            ("state=%4", .once("%4")),
            ("state=%zz", .once("%zz")),
            ("state=a=b", .once("a=b")),
            ("", .absent),
            ("State=abc", .absent),
            ("xstate=abc&states=1", .absent),
            ("state=a&state=a", .repeated),
            ("state=a&%73tate=b", .repeated),
            ("state&state=b", .repeated),
            ("&&state=a&&", .once("a")),
        ] as [(String, RequestTarget.Parameter)])
    func state(query: String, expected: RequestTarget.Parameter) {
        #expect(RequestTarget("/callback?" + query).parameter("state") == expected)
    }

    /// Whatever bytes come, they are read without a trap.
    @Test(arguments: 0..<64)
    func anyBytes(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        for _ in 0..<200 {
            let bytes = (0..<Int.random(in: 0..<40, using: &generator)).map { _ in
                Array("state=%&+/?#4aé\u{0}".utf8).randomElement(using: &generator) ?? 0
            }
            let target = RequestTarget("/?" + String(decoding: bytes, as: UTF8.self))
            if case .once(let value) = target.parameter("state") { #expect(value.utf8.count <= bytes.count * 3) }
        }
    }
}
