import CommandLine
import Foundation
import Testing

/// Completion and manual page are judged by the programs that read them.
@Suite(.timeLimit(.minutes(1))) struct GeneratedTests {
    private func output(of program: String, _ arguments: [String], input: String) throws -> (String, Int32) {
        let process = Process()
        let (stdin, stdout) = (Pipe(), Pipe())
        process.executableURL = URL(fileURLWithPath: program)
        process.arguments = arguments
        process.standardInput = stdin
        process.standardOutput = stdout
        process.standardError = stdout
        try process.run()
        try stdin.fileHandleForWriting.write(contentsOf: Data(input.utf8))
        try stdin.fileHandleForWriting.close()
        let data = try stdout.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        return (String(decoding: data, as: UTF8.self), process.terminationStatus)
    }

    @Test(arguments: [
        (["tool", "lo"], "logout"),
        (["tool", ""], "logout switch completion --json --app --help --version"),
        (["tool", "logout", "--re"], "--reason"),
        (["tool", "--json", "logout", "--a"], "--all --app"),
        (["tool", "completion", ""], "bash --json --app --help"),
        (["tool", "logout", "--reason", ""], ""),
    ])
    func bashCompletes(_ words: [String], _ expected: String) throws {
        let list = words.map { "'\($0)'" }.joined(separator: " ")
        let script = """
            \(tool.bashCompletion)
            COMP_WORDS=(\(list)); COMP_CWORD=\(words.count - 1); _tool; echo "${COMPREPLY[*]}"
            """
        let (text, status) = try output(of: "/bin/bash", ["-s"], input: script)
        #expect(status == 0)
        #expect(text == expected + "\n")
    }

    @Test func roffSpecialCharactersAreEscaped() {
        let page = Command("x-y", summary: ".a \\b \"c\"", examples: [.init("'q", ".TH")]).manPage(version: "1")
        #expect(page.contains("x\\-y \\- \\&.a \\eb \\(dqc\\(dq"))
        #expect(page.contains(".B \\&'q\n\\&.TH"))
    }
}
