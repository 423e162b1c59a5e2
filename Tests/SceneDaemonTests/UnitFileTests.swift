import Testing

@testable import SceneDaemon

@Suite struct UnitFileTests {
    private func pairs(_ text: String) -> [String] {
        UnitFile(text, file: "f").sections.flatMap { section in
            section.assignments.map { "\(section.name).\($0.key)=\($0.value) @\($0.line)" }
        }
    }

    @Test(arguments: [
        ("[App]\nName=Notes", ["App.Name=Notes @2"]),
        ("[App]\r\nName=Notes\r\n\r\nX=1\r\n", ["App.Name=Notes @2", "App.X=1 @4"]),
        ("  [App]  \n\t Name \t = \t My Notes \t\n", ["App.Name=My Notes @2"]),
        ("# a\n; b\n\n[App]\n#Name=x\nName=y", ["App.Name=y @6"]),
        ("[App]\nName=a=b#c;d", ["App.Name=a=b#c;d @2"]),
        ("[App]\nName=", ["App.Name= @2"]),
        ("[App]\nName=one \\\n  two\\\nthree\nX=1", ["App.Name=one  two three @2", "App.X=1 @5"]),
        ("[App]\nName=one\\\n# a comment\n  two", ["App.Name=one two @2"]),
        ("[App]\nName=one\\", ["App.Name=one @2"]),
        ("[App]\nName=Žluťoučký 🐎", ["App.Name=Žluťoučký 🐎 @2"]),
        ("", []),
    ])
    func isRead(text: String, expected: [String]) {
        #expect(pairs(text) == expected)
        #expect(UnitFile(text, file: "f").problems.isEmpty)
    }

    @Test func sectionsRepeat() {
        let file = UnitFile("[LoginHost]\nURL=a\n[LoginHost]\nURL=b\n", file: "f")
        #expect(file.sections.map(\.line) == [1, 3])
        #expect(file.sections.map { $0.assignments.map(\.value) } == [["a"], ["b"]])
    }

    @Test func allFaultsAreToldWithTheirLines() {
        let file = UnitFile(
            """
            Early=1
            [App
            []
            [App]
            nonsense
            =value
            Name=good
            more \\
            nonsense
            """, file: "/etc/x.conf")
        #expect(file.problems.map(\.line) == [1, 2, 3, 5, 6, 8])
        #expect(file.problems.allSatisfy { $0.severity == .error && $0.file == "/etc/x.conf" })
        #expect(file.problems.first?.description.hasPrefix("/etc/x.conf:1: ") == true)
        #expect(file.sections.last?.assignments.map(\.value) == ["good"])
    }

    @Test(arguments: ["\u{1b}[31m", "\0", "\r", "\u{7f}", "\u{9b}", "\u{85}"])
    func controlCharactersAreNoValue(text: String) {
        let file = UnitFile("[App]\nName=a\(text)b\nClientID=a\tb", file: "f")
        #expect(file.problems.map(\.line) == [2])
        #expect(file.sections.first?.assignments.map(\.key) == ["ClientID"])
    }

    @Test(arguments: ["\u{1b}", "\u{202e}", "\u{2028}"])
    func whatIsToldDoesNothingToATerminal(text: String) {
        let problem = Problem(file: "/etc/\(text)", line: 1, text: "no \(text)=", severity: .warning)
        #expect(!problem.description.contains(text))
    }

    @Test func anythingIsReadWithoutATrap() {
        let words = ["[", "]", "=", "\\", "\n", "\r\n", "#", " ", "App", "\u{301}", "\0", "é", "\r"]
        var generator = SystemRandomNumberGenerator()
        for _ in 0..<3000 {
            let text = (0..<Int.random(in: 0..<30, using: &generator)).map { _ in
                words.randomElement(using: &generator) ?? ""
            }.joined()
            _ = UnitFile(text, file: "f")
        }
    }
}
