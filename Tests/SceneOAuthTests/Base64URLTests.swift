import Testing

@testable import SceneOAuth

@Suite struct Base64URLTests {
    /// RFC 4648, section 10, and RFC 7515, appendix C.
    @Test(arguments: [
        ([], ""), (Array("f".utf8), "Zg"), (Array("fo".utf8), "Zm8"), (Array("foo".utf8), "Zm9v"),
        (Array("foobar".utf8), "Zm9vYmFy"), ([3, 236, 255, 224, 193], "A-z_4ME"),
    ] as [([UInt8], String)])
    func bothWays(bytes: [UInt8], text: String) {
        #expect(Base64URL.encode(bytes) == text)
        #expect(Base64URL.decode(text.utf8) == bytes)
    }

    @Test(arguments: ["A", "Zg==", "Zh", "Z g", "Zm9v+", "Zm9/", "Zm9vé"])
    func refusesWhatIsNotCanonical(text: String) {
        #expect(Base64URL.decode(text.utf8) == nil)
    }

    @Test(arguments: [("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("\u{3fb}", "z7s="), ("??>", "Pz8+"), ("???", "Pz8/")])
    func padded(text: String, base64: String) {
        #expect(Base64URL.padded(text.utf8) == base64)
    }
}
