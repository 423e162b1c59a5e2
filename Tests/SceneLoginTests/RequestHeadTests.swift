import Testing

@testable import SceneLogin

struct RequestHeadTests {
    private func head(_ headers: [(name: String, value: String)]) -> RequestHead {
        RequestHead(method: "GET", target: RequestTarget("/"), headers: headers)
    }

    @Test(
        arguments: [
            [],
            [("sec-fetch-mode", "navigate"), ("sec-fetch-dest", "document"), ("sec-fetch-site", "cross-site")],
            [("sec-fetch-mode", "navigate"), ("origin", "https://login.example.com")],
            [("origin", "null")],
        ] as [[(name: String, value: String)]])
    func navigation(headers: [(name: String, value: String)]) {
        #expect(head(headers).isNavigation)
    }

    @Test(
        arguments: [
            [("sec-fetch-mode", "cors")],
            [("sec-fetch-mode", "no-cors"), ("sec-fetch-dest", "image")],
            [("sec-fetch-mode", "navigate"), ("sec-fetch-dest", "iframe")],
            [("sec-fetch-mode", "navigate"), ("sec-fetch-dest", "object")],
            [("sec-fetch-mode", "navigate"), ("sec-fetch-mode", "navigate")],
            [("sec-fetch-dest", "empty")],
            [("origin", "https://evil.example")],
        ] as [[(name: String, value: String)]])
    func subresource(headers: [(name: String, value: String)]) {
        #expect(!head(headers).isNavigation)
    }

    @Test(
        arguments: [
            ([("content-length", "0")], false), ([("content-length", "1")], true),
            ([("transfer-encoding", "chunked")], true),
        ] as [([(name: String, value: String)], Bool)])
    func body(headers: [(name: String, value: String)], hasBody: Bool) {
        #expect(head(headers).hasBody == hasBody)
    }
}
