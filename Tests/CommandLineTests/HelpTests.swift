import CommandLine
import Testing

@Suite struct HelpTests {
    @Test func aVerbsHelpHasItsExampleAndTheCommonOptions() {
        #expect(
            tool.helpText(for: ["tool", "logout"], terminal: Terminal())
                == """
                Usage: tool logout [OPTION…] [ACCOUNT]

                Sign out.

                Arguments:
                  ACCOUNT  Whom

                Options:
                  --reason TEXT  Why, for the audit
                  --all          All of them
                  --json         Print JSON
                  --app NAME     The app
                  --help         Show this help

                Example:
                  tool logout ada
                      Sign Ada out

                """)
    }

    @Test func theProgramsHelpListsItsVerbs() {
        let text = tool.helpText(for: ["tool"], terminal: Terminal())
        #expect(text.contains("Usage: tool VERB [OPTION…]"))
        #expect(text.contains("  switch      Switch\n"))
        #expect(text.contains("--version"))
    }

    @Test func longTextsAreWrappedToTheTerminal() {
        let words = Array(repeating: "word", count: 60).joined(separator: " ")
        let command = Command("x", summary: "X", discussion: [words], options: [Option("o", help: words)])
        for line in command.helpText(for: ["x"], terminal: Terminal(isTerminal: true, width: 60)).split(separator: "\n")
        {
            #expect(line.displayWidth <= 60)
        }
    }
}
