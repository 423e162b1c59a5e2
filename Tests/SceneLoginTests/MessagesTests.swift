import Testing

@testable import SceneLogin

struct MessagesTests {
    @Test func everyLanguageHasEveryTextWithTheSameGaps() throws {
        let english = Messages.read(String(decoding: PackageResources.en_messages, as: UTF8.self))
        let german = Messages.read(String(decoding: PackageResources.de_messages, as: UTF8.self))
        #expect(Set(english.keys) == Set(german.keys))
        #expect(english.count > 60)
        func gaps(_ text: String) -> Set<Substring> {
            let parts = text.split(separator: "{", omittingEmptySubsequences: false).dropFirst()
            return Set(parts.map { $0.prefix { $0 != "}" } })
        }
        for (key, text) in english { #expect(gaps(text) == gaps(german[key] ?? ""), "\(key)") }
    }

    @Test(arguments: [
        (nil, "en"), ("", "en"), ("de", "de"), ("de-AT,de;q=0.9,en;q=0.5", "de"), ("en-GB, de;q=0.9", "en"),
        ("fr, de;q=0.3, en;q=0.2", "de"), ("fr", "en"), ("*", "en"), ("de;q=0, en;q=0.1", "en"), ("de;q=x", "en"),
        (",,;;q=,de", "de"), ("DE", "de"),
    ])
    func theBestLanguageIsTaken(accepted: String?, language: String) {
        #expect(Messages.preferred(accepted).language == language)
    }

    @Test func whatIsFilledInIsNotReadAgain() {
        let html = Messages.english.html("wrong-account.what", ["wanted": .text("{name} <b>"), "name": .text("Ada")])
        #expect(html.markup == "You asked for {name} &lt;b&gt;, and the login host signed in Ada.")
    }
}
