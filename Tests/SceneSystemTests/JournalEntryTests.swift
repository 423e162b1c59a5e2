import Testing

@testable import SceneSystem

@Suite struct JournalEntryTests {
    @Test func aLineCarriesPriorityMessageAndFields() {
        let entry = JournalEntry(
            priority: .notice, message: "Signed in", messageID: "0123456789abcdef0123456789abcdef",
            fields: [("SCENED_APP", "notes"), ("SCENED_NAME", "Ann Lee"), ("SCENED_NOTHING", "")])
        #expect(
            entry.line == """
                <5>Signed in MESSAGE_ID=0123456789abcdef0123456789abcdef SCENED_APP=notes SCENED_NAME="Ann Lee" \
                SCENED_NOTHING=""
                """)
    }

    @Test(arguments: [
        ("a\nb", "\"a\\nb\""), ("a b", "\"a b\""), ("X=1", "\"X=1\""), ("a\" UID=0", "\"a\\\" UID=0\""),
        ("\u{1b}[2J", "\"\\u{1b}[2J\""), ("a\\", "\"a\\\\\""), ("\u{202e}x", "\"\\u{202e}x\""), ("é", "\"é\""),
        ("\u{2028}", "\"\\u{2028}\""),
    ])
    func aValueForgesNoField(_ value: String, _ written: String) {
        #expect(JournalEntry(message: "m", fields: [("F", value)]).line == "<6>m F=\(written)")
    }

    @Test func aMessageForgesNoLine() {
        #expect(JournalEntry(priority: .error, message: "no\n<0>panic\r").line == "<3>no\\n<0>panic\\u{d}")
    }

    @Test(arguments: ["", "lower", "_HIDDEN", "1ST", "A=B", "A\nB", "A B", "É", String(repeating: "A", count: 65)])
    func fieldsWithBadNamesAreLeftOut(_ name: String) {
        let entry = JournalEntry(message: "m", fields: [(name, "value"), ("GOOD", "1")])
        #expect(entry.line == "<6>m GOOD=1")
        #expect(entry.encoded(identifier: "scened").count == 4)
    }

    @Test func theJournalGetsValuesAsTheyAre() {
        let entry = JournalEntry(
            priority: .debug, message: "one\ntwo", messageID: "0123456789abcdef0123456789abcdef",
            fields: [("F_1", "a\nPRIORITY=0")])
        let fields = entry.encoded(identifier: "scened").map { String(decoding: $0, as: UTF8.self) }
        #expect(
            fields == [
                "PRIORITY=7", "SYSLOG_IDENTIFIER=scened", "MESSAGE=one\ntwo",
                "MESSAGE_ID=0123456789abcdef0123456789abcdef", "F_1=a\nPRIORITY=0",
            ])
    }

    @Test func valuesAreBounded() {
        let entry = JournalEntry(
            message: String(repeating: "m", count: 1 << 20), fields: [("F", String(repeating: "\n", count: 1 << 20))])
        #expect(entry.line.utf8.count < 3 * JournalEntry.longestValue)
        #expect(entry.encoded(identifier: "scened").allSatisfy { $0.count < 2 * JournalEntry.longestValue })
    }
}
