import CommandLine
import Testing

@testable import SceneCommands

@Suite(.timeLimit(.minutes(1))) struct ScenectlTests {
    @Test(arguments: Scenectl.command.verbs.map(\.name))
    func everyVerbHasHelpWithAnExample(_ verb: String) throws {
        let asked = try scenectl([verb, "--help"])
        #expect(asked.code == 0 && asked.errors == "")
        #expect(asked.output.hasPrefix("Usage: scenectl \(verb) "))
        #expect(asked.output.contains("\nExample"))
        for option in ["--json", "--app NAME", "--socket PATH", "--help"] { #expect(asked.output.contains(option)) }
        #expect(try scenectl(["help", verb]).output == asked.output)
        for line in asked.output.split(separator: "\n") { #expect(line.displayWidth <= 100) }
    }

    @Test func theHelpDocumentsEveryExitCode() throws {
        let outcome = try scenectl(["--help"])
        for code in ExitCode.allCases { #expect(outcome.output.contains("\n  \(code.rawValue)  ")) }
    }

    @Test(
        arguments: [
            ([], "scenectl needs a verb. Try: scenectl --help"),
            (["stauts"], "There is no verb 'stauts'. Try: scenectl status"),
            (["status", "--jsno"], "There is no option '--jsno'. Try: scenectl status --json"),
            (["switch"], "ACCOUNT is missing. Try: scenectl switch ACCOUNT"),
            (
                ["token", "--minimum-validity", "x"],
                "--minimum-validity takes a whole number from 0 to 31536000, not 'x'. Try: scenectl token --help"
            ),
            (["help", "lgoin"], "There is no verb 'lgoin'. Try: scenectl help login"),
            (["completion", "fish"], "There is no verb 'fish'. Try: scenectl completion --help"),
        ] as [([String], String)])
    func aWrongLineIsExplained(_ words: [String], _ sentence: String) throws {
        let outcome = try scenectl(words)
        #expect(outcome.code == 64 && outcome.output == "" && outcome.errors == "scenectl: \(sentence)\n")
    }

    @Test func theVersionIsPrinted() throws {
        #expect(try scenectl(["--version"]).output == "scenectl \(Product.version)\n")
    }

    @Test func bashTakesTheCompletion() throws {
        let line = """
            source <("$CTL" completion bash)
            COMP_WORDS=(scenectl logi); COMP_CWORD=1; _scenectl; echo "${COMPREPLY[@]}"
            """
        #expect(try shell(line).output == "login\n")
    }

    @Test func theManualPageHasEveryVerb() throws {
        let page = try scenectl(["help", "--man"]).output
        for verb in Scenectl.command.verbs { #expect(page.contains(".SS \(verb.name)")) }
    }
}
