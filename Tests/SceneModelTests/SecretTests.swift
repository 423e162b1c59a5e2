import SceneModel
import Testing

@Suite struct SecretTests {
    private let word = "hunter2-hunter2"

    private struct Holder {
        var name = "holder"
        var secret: Secret?
        var list: [Secret] = []
    }

    /// What a person, a log or a debugger would be shown.
    private func renderings(_ value: Any) -> [String] {
        var printed = ""
        print(value, to: &printed)
        var debugPrinted = ""
        debugPrint(value, to: &debugPrinted)
        var dumped = ""
        dump(value, to: &dumped)
        return [printed, debugPrinted, dumped, String(describing: value), String(reflecting: value), "\(value)"]
    }

    @Test func isNeverShown() {
        for text in renderings(Secret(word)) {
            #expect(!text.isEmpty)
            #expect(!text.contains("hunter2"))
        }
    }

    @Test func isNotShownByWhatHoldsIt() {
        let secret = Secret(word)
        let token = AccessToken(value: secret, type: "Bearer")
        let values: [Any] = [
            Holder(secret: secret, list: [secret]), [secret], ["a": secret], (1, secret), Optional(secret) as Any,
            token,
        ]
        for value in values {
            for text in renderings(value) {
                #expect(!text.contains("hunter2"))
                // Nor as the numbers that its bytes are.
                #expect(!text.contains("104, 117, 110"))
            }
        }
    }

    @Test func reflectionFindsNothing() {
        #expect(Mirror(reflecting: Secret(word)).children.isEmpty)
    }

    @Test(arguments: ["", "a", "hunter2-hunter2", "zwölf Boxkämpfer\u{1f511}"])
    func holdsItsContent(text: String) {
        let secret = Secret(text)
        #expect(secret.text == text)
        #expect(secret.count == text.utf8.count)
        #expect(secret.isEmpty == text.isEmpty)
        #expect(secret.withBytes { Array($0) } == Array(text.utf8))
    }

    @Test func keepsItsContentWhenTheSourceChanges() {
        var source: [UInt8] = [1, 2, 3]
        let secret = Secret(source)
        source[0] = 9
        #expect(secret.withBytes { Array($0) } == [1, 2, 3])
    }

    @Test(
        arguments: [
            ("", "", true), ("a", "a", true), ("abc", "abc", true), ("abc", "abd", false), ("xbc", "abc", false),
            ("abc", "ab", false), ("", "a", false),
        ] as [(String, String, Bool)])
    func comparesByContent(left: String, right: String, areEqual: Bool) {
        #expect((Secret(left) == Secret(right)) == areEqual)
    }
}
