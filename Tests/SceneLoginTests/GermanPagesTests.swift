import SceneModel
import Testing

@testable import SceneLogin

/// On a page in German everything that can be read is German, or data, or marked as another language's.
struct GermanPagesTests {
    private static let data = "Daten-4711"
    private static let german = Messages.preferred("de")
    /// Without what English stands in for.
    private static let texts = Messages.read(String(decoding: PackageResources.de_messages, as: UTF8.self))

    private static var content: LoginScreenContent {
        let hosts = [LoginHost.Origin.managed, .app, .user].map {
            LoginHost(url: data + $0.rawValue, label: data, origin: $0, removable: $0 == .user)
        }
        var content = LoginScreenContent.test(title: LoginScreen().title, hosts: hosts)
        content.host = hosts[0].url
        content.screen.canAddLoginHost = true
        content.accountName = data
        content.appName = data
        content.appearance.logo = Asset([0xff, 0xd8, 0xff], .image)
        return content
    }

    private static var pages: [Page] {
        let screens = ScreenPages(content: content, messages: german, formToken: "t")
        var many = content
        many.screen.loginHosts += (0..<300).map { LoginHost(url: data + "\($0)", label: data) }
        let faults = LoginFault.Kind.allCases.flatMap { kind in
            [nil, .ours(data), .hosts(data)].map { LoginFault(kind, $0) }
        }
        let outcomes: [LoginOutcome] =
            [
                .signedIn(name: data), .signedIn(name: nil), .signedIn(name: data, wanted: data), .cancelled,
                .wentBack(address: data), .handedBack(app: data),
            ] + faults.map { .failed($0) }
        let problems: [HostProblem.Kind] = HostProblem.Kind.allCases
        return outcomes.map { Page($0, content, german) } + Refusal.allCases.map { Page($0, german) }
            + faults.map { screens.screen(fault: $0) } + problems.map { screens.hosts(HostProblem($0, address: data)) }
            + [
                screens.screen(fault: nil), screens.screen(fault: nil, invalidAccount: true), screens.preparing(),
                screens.going(to: data), screens.completing, screens.hosts(), .ended(german),
                ScreenPages(content: many, messages: german, formToken: "t").hosts(),
            ]
    }

    @Test func nothingIsInAnotherLanguage() {
        let known = Self.texts.values.flatMap { fragments($0) }.sorted { $0.count > $1.count }
        let texts = Set(Self.pages.flatMap { readable($0.html(nonce: "n")) })
        #expect(texts.count > 80)
        for text in texts {
            let rest = known.reduce(text.replacing(Self.data, with: " ")) { $0.replacing($1, with: " ") }
            #expect(!rest.contains(where: \.isLetter) || isOrigin(rest), "\(text) is not all of the German messages")
        }
    }

    /// `managed` and the like behind the address of a host.
    private func isOrigin(_ text: String) -> Bool {
        LoginHost.Origin.allCases.map(\.rawValue).contains(text.filter(\.isLetter))
    }

    private func fragments(_ message: String) -> [String] {
        let parts = message.split(separator: "{", omittingEmptySubsequences: false)
        let texts = parts.prefix(1) + parts.dropFirst().map { $0.drop { $0 != "}" }.dropFirst() }
        return texts.map { String($0) }.filter { $0.contains(where: \.isLetter) }
    }

    /// Text between tags, and what a screen reader reads out of attributes.
    private func readable(_ html: String) -> [String] {
        var texts: [String] = []
        for piece in html.split(separator: "<").dropFirst() {
            let parts = piece.split(separator: ">", maxSplits: 1, omittingEmptySubsequences: false)
            if parts.count > 1, !piece.hasPrefix("style"), !piece.hasPrefix("svg"), !piece.hasPrefix("!") {
                texts.append(String(parts[1]))
            }
            for name in ["aria-label", "alt", "title", "placeholder"] {
                guard let start = parts[0].firstRange(of: " \(name)=\"")?.upperBound else { continue }
                texts.append(String(parts[0][start...].prefix { $0 != "\"" }))
            }
        }
        return texts.map { text in
            [("&quot;", "\""), ("&#39;", "'"), ("&lt;", "<"), ("&gt;", ">"), ("&amp;", "&")].reduce(text) {
                $0.replacing($1.0, with: $1.1)
            }
        }
    }

    @Test func everyTextIsUsed() {
        let shown = Self.pages.map { $0.html(nonce: "n") }.joined()
        for (key, text) in Self.texts {
            let isShown = fragments(text).allSatisfy { shown.contains(HTML.text($0).markup) }
            #expect(isShown, "\(key) is on no page")
        }
    }
}
