import CommandLine
import Testing

@Suite struct ParserTests {
    struct Line: CustomTestStringConvertible {
        var words: [String]
        var path: [String]
        var positionals: [String] = []
        var app: String?
        var json = false
        var testDescription: String { words.joined(separator: " ") }
    }

    @Test(arguments: [
        Line(words: ["logout"], path: ["tool", "logout"]),
        Line(words: ["--json", "logout", "ada"], path: ["tool", "logout"], positionals: ["ada"], json: true),
        Line(words: ["logout", "ada", "--json"], path: ["tool", "logout"], positionals: ["ada"], json: true),
        Line(words: ["logout", "--app", "notes"], path: ["tool", "logout"], app: "notes"),
        Line(words: ["--app=notes", "logout"], path: ["tool", "logout"], app: "notes"),
        Line(words: ["--app=", "logout"], path: ["tool", "logout"], app: ""),
        Line(words: ["--app=a=b", "logout"], path: ["tool", "logout"], app: "a=b"),
        Line(words: ["--app", "switch", "logout"], path: ["tool", "logout"], app: "switch"),
        Line(words: ["--app", "-x", "logout"], path: ["tool", "logout"], app: "-x"),
        Line(words: ["--app", "a", "logout", "--app", "b"], path: ["tool", "logout"], app: "b"),
        Line(words: ["logout", "--", "--json"], path: ["tool", "logout"], positionals: ["--json"]),
        Line(words: ["logout", "-"], path: ["tool", "logout"], positionals: ["-"]),
        Line(words: ["logout", ""], path: ["tool", "logout"], positionals: [""]),
        Line(words: ["switch", "switch"], path: ["tool", "switch"], positionals: ["switch"]),
        Line(words: ["completion", "bash"], path: ["tool", "completion", "bash"]),
    ])
    func reads(_ line: Line) throws {
        guard case .run(let arguments) = try tool.parse(line.words) else {
            Issue.record("not run")
            return
        }
        #expect(arguments.path == line.path)
        #expect(arguments.positionals == line.positionals)
        #expect(arguments[app] == line.app)
        #expect(arguments.has(json) == line.json)
    }

    @Test(arguments: [
        (["logout", "--jsn"], "There is no option '--jsn'. Try: tool logout --json"),
        (["--apps", "x", "logout"], "There is no option '--apps'. Try: tool --app"),
        (["logout", "--reaosn=x"], "There is no option '--reaosn'. Try: tool logout --reason"),
        (["switch", "ada", "--reason", "x"], "There is no option '--reason'. Try: tool switch --help"),
        (["logout", "--quite-different"], "There is no option '--quite-different'. Try: tool logout --help"),
        (["logout", "-j"], "There is no option '-j'. Try: tool logout --help"),
        (["logout", "--\u{1b}[31m"], "There is no option '--\\x1b[31m'. Try: tool logout --help"),
        (["logot"], "There is no verb 'logot'. Try: tool logout"),
        (["frobnicate"], "There is no verb 'frobnicate'. Try: tool --help"),
        ([], "tool needs a verb. Try: tool --help"),
        (["completion"], "tool completion needs a verb. Try: tool completion --help"),
        (["completion", "bsh"], "There is no verb 'bsh'. Try: tool completion bash"),
        (["switch"], "ACCOUNT is missing. Try: tool switch ACCOUNT"),
        (["switch", "a", "b"], "'b' is one argument too many. Try: tool switch --help"),
        (["logout", "--app"], "--app needs a value. Try: tool logout --app NAME"),
        (["logout", "--app", "--json"], "--app needs a value. Try: tool logout --app NAME"),
        (["logout", "--json=yes"], "--json takes no value. Try: tool logout --help"),
    ])
    func refuses(_ words: [String], message: String) {
        #expect(throws: UsageError.self) { try tool.parse(words) }
        do { _ = try tool.parse(words) } catch { #expect(error.description == message) }
    }

    @Test(arguments: [
        (["--help"], ["tool"]),
        (["logout", "--help"], ["tool", "logout"]),
        (["--nonsense", "logout", "-h"], ["tool", "logout"]),
        (["--app", "switch", "logout", "--help"], ["tool", "logout"]),
        (["switch", "--help"], ["tool", "switch"]),
    ])
    func answersHelpHoweverWrongTheRest(_ words: [String], path: [String]) throws {
        guard case .help(let found) = try tool.parse(words) else {
            Issue.record("no help")
            return
        }
        #expect(found == path)
    }

    @Test func helpBehindTheDashesIsAnArgument() throws {
        guard case .run(let arguments) = try tool.parse(["logout", "--", "--help"]) else {
            Issue.record("not run")
            return
        }
        #expect(arguments.positionals == ["--help"])
    }

    @Test func theVersionIsTheProgramsOnly() throws {
        guard case .version = try tool.parse(["--version"]) else {
            Issue.record("no version")
            return
        }
        #expect(throws: UsageError.self) { try tool.parse(["logout", "--version"]) }
    }

    @Test func aProgramWithoutVerbsTakesOptionsOnly() throws {
        let words = ["--user", "--config", "/a", "--config=/b", "--socket=/s", "--check-config"]
        guard case .run(let arguments) = try daemon.parse(words) else {
            Issue.record("not run")
            return
        }
        #expect(arguments.all(config) == ["/a", "/b"])
        #expect(arguments[socket] == "/s")
        #expect(arguments.has(user) && arguments.has(checkConfig) && !arguments.has(system))
        #expect(throws: UsageError.self) { try daemon.parse(["extra"]) }
    }

    @Test func exclusiveOptionsAreRefusedTogether() {
        do {
            _ = try daemon.parse(["--system", "--user"])
            Issue.record("accepted")
        } catch {
            #expect(error.description == "--system and --user exclude each other. Try: daemon --help")
        }
    }

    @Test(arguments: ["0", "601", "-1", "ten", "1.5", "", "9999999999999999999999"])
    func numbersOutOfRangeAreUsageErrors(_ text: String) throws {
        guard case .run(let arguments) = try tool.parse(["logout", "--reason", text]) else {
            Issue.record("not run")
            return
        }
        #expect(throws: UsageError.self) { try arguments.integer(reason, in: 1...600) }
        #expect(try arguments.integer(app, in: 1...600) == nil)
    }

    @Test func numbersInRangeAreRead() throws {
        guard case .run(let arguments) = try tool.parse(["logout", "--reason", "600"]) else {
            Issue.record("not run")
            return
        }
        #expect(try arguments.integer(reason, in: 1...600) == 600)
    }

    /// Whatever the words and their order: an answer or a usage error.
    @Test func noLineIsTooOdd() {
        var random = SystemRandomNumberGenerator()
        let words = [
            "", "-", "--", "=", "--=", "--app", "--app=", "--json", "--json=", "-h", "logout", "switch", "\u{0}", "é",
        ]
        for _ in 0..<5000 {
            let line = (0..<Int.random(in: 0..<6, using: &random)).map { _ in words.randomElement() ?? "" }
            do { _ = try tool.parse(line) } catch { #expect(!error.problem.isEmpty, "\(line)") }
        }
    }
}
