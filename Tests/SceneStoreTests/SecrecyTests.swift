import SceneModel
import SessionCore
import Testing

@testable import SceneStore

@Suite(.timeLimit(.minutes(1))) struct SecrecyTests {
    let directory = TemporaryDirectory()

    /// All files' bytes, as a thief of the directory's backup would have them.
    private var content: [UInt8] { directory.files.flatMap { directory.read($0) } }

    /// The text as it is, in hex, and in base64 wherever it may start within three bytes.
    private func spellings(_ text: String) -> [String] {
        let bytes = Array(text.utf8)
        let hex = bytes.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
        return [text, hex, hex.uppercased()] + (0..<3).map { base64(Array(bytes.dropFirst($0))) }
    }

    /// Whole groups of three bytes only, so that it is found within a longer text too.
    private func base64(_ bytes: [UInt8]) -> String {
        let digits = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/")
        var text = ""
        for start in stride(from: 0, through: bytes.count - 3, by: 3) {
            let word = Int(bytes[start]) << 16 | Int(bytes[start + 1]) << 8 | Int(bytes[start + 2])
            for shift in [18, 12, 6, 0] { text.append(digits[word >> shift & 63]) }
        }
        return text
    }

    private func expectAbsent(_ secrets: [String]) {
        let content = content
        for secret in secrets {
            for spelling in spellings(secret) {
                #expect(!content.contains(spelling.utf8), "\(spelling) is in a file")
            }
        }
    }

    private let secrets = [
        "access-token-of-account-1", "refresh-token-of-account-1", "id-token-of-account-1",
        "dying-refresh-token-of-revocation-1", "dying-access-token-of-revocation-1",
        // Personal, if not secret.
        "ada@example.com", "Ada Lovelace", "countess",
    ]

    @Test func noFileShowsASecret() throws {
        let open = try OpenStore(directory)
        open.commit(.sample(1, .putAccount(.sample()), .putRevocation(.sample())))
        // The search finds what is there to be found.
        #expect(content.contains("notes-client".utf8))
        expectAbsent(secrets)
        open.commit(.sample(2, .removeAccount(id: "account-1"), .removeRevocation(id: "revocation-1")))
        expectAbsent(secrets)
        open.store.close()
        expectAbsent(secrets)
        #expect(content.contains("epoch-1".utf8))
    }

    @Test func equalSecretsLookDifferent() throws {
        let open = try OpenStore(directory)
        var record = AccountRecord.sample()
        record.grant.refreshToken = record.grant.accessToken
        open.commit(.sample(1, .putAccount(record)))
        let first = open.blob("SELECT access_token FROM accounts")
        let second = open.blob("SELECT refresh_token FROM accounts")
        open.commit(.sample(2, .putAccount(record)))
        let third = open.blob("SELECT access_token FROM accounts")
        #expect(first.count > 32)
        #expect(first != second)
        #expect(first != third)
    }

    /// Long enough for pages of its own, and short enough to share one.
    @Test(arguments: [20, 500, 20_000])
    func whatIsErasedIsGoneEvenSealed(size: Int) throws {
        let open = try OpenStore(directory)
        var account = AccountRecord.sample()
        account.grant.refreshToken = Secret([UInt8](repeating: 7, count: size))
        var revocation = RevocationRecord.sample()
        revocation.refreshToken = account.grant.refreshToken
        open.commit(.sample(1, .putAccount(account), .putRevocation(revocation)))
        let sealed = [
            open.blob("SELECT refresh_token FROM accounts"), open.blob("SELECT access_token FROM accounts"),
            open.blob("SELECT refresh_token FROM revocations"), open.blob("SELECT access_token FROM revocations"),
        ].map { $0.dropFirst().prefix(24) }
        #expect(sealed.allSatisfy { $0.count == 24 && content.contains($0) })
        open.commit(.sample(2, .removeAccount(id: "account-1")))
        #expect(sealed.map { content.contains($0) } == [false, false, true, true])
        open.commit(.sample(3, .removeRevocation(id: "revocation-1")))
        #expect(sealed.map { content.contains($0) } == [false, false, false, false])
    }

    /// A crash between the commit and the log's end is made good for when the store is opened.
    @Test func whatACrashLeftInTheLogGoesAtTheNextStart() throws {
        let open = try OpenStore(directory)
        open.commit(.sample(1, .putRevocation(.sample())))
        let sealed = open.blob("SELECT refresh_token FROM revocations")
        try open.execute("DELETE FROM revocations")
        let copy = directory.copied()
        #expect(copy.read("sessions.sqlite-wal").contains(sealed))
        let reopened = try OpenStore(copy)
        #expect(try reopened.store.load().first?.revocations == [])
        #expect(!copy.files.contains { copy.read($0).contains(sealed) })
    }

    @Test func filesAreTheOwnersAlone() throws {
        let open = try OpenStore(directory)
        open.commit(.sample(1))
        #expect(directory.files.contains("sessions.sqlite-wal"))
        for name in directory.files { #expect(mode(directory.path + "/" + name) == 0o600, "\(name)") }
    }
}
