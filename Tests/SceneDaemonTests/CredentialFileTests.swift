import Glibc
import SceneModel
import SceneOAuth
import Testing

@testable import SceneDaemon

@Suite struct CredentialFileTests {
    private let directory: TemporaryDirectory

    init() throws {
        directory = try TemporaryDirectory()
    }

    private func file(_ value: String) -> CredentialFile { CredentialFile(key: "ClientSecretFile", value: value) }

    private func fault(_ file: CredentialFile, credentials: String? = nil) -> String? {
        do throws(CredentialFile.Fault) { _ = try file.secret(credentials: credentials) } catch { return error.text }
        return nil
    }

    @Test(arguments: [
        ("s3cret", "s3cret"), ("s3cret\n", "s3cret"), ("s3cret\r\n", "s3cret"), ("s3cret\n\n", "s3cret"),
        (" s 3:c%r ", " s 3:c%r "),
    ])
    func aSecretIsALine(content: String, secret: String) throws {
        let path = try directory.write("secret", content)
        #expect(try file(path).secret(credentials: nil) == Secret(secret))
        #expect(try file("credential:secret").secret(credentials: directory.path) == Secret(secret))
    }

    @Test func whatIsNoSecretIsNamed() throws {
        let empty = try directory.write("empty", "")
        #expect(fault(file(empty)) == "ClientSecretFile=\(empty) is empty")
        let blank = try directory.write("blank", "\n")
        #expect(fault(file(blank)) == "ClientSecretFile=\(blank) is empty")
        let lines = try directory.write("lines", "s3cret\nmore\n")
        #expect(fault(file(lines)) == "ClientSecretFile=\(lines) holds more than the one line of a secret")
        let binary = try directory.write("binary", [0xff, 0xfe])
        #expect(fault(file(binary)) == "ClientSecretFile=\(binary) is not written in UTF-8")
        #expect(fault(file("/nonexistent/s"))?.contains("cannot be read: No such file") == true)
        #expect(fault(file(directory.path))?.contains("no regular file") == true)
        #expect(fault(file("relative"))?.contains("absolute path") == true)
    }

    @Test func whatIsNoCredentialIsNamed() throws {
        try directory.write("sub/secret", "s")
        #expect(fault(file("credential:notes"))?.contains("LoadCredential=") == true)
        #expect(fault(file("credential:notes"), credentials: directory.path)?.contains("cannot be read") == true)
        for name in ["", "..", "sub/secret", "../x"] {
            #expect(
                fault(file("credential:" + name), credentials: directory.path)?.contains("name a credential") == true)
        }
    }

    private static let good = "[LoginHost]\nURL=https://login.example.com\n[App]\nClientID=scene\n"

    private func read(_ text: String, credentials: String? = nil) -> (app: AppConfiguration?, problems: [String]) {
        let read = AppReader.read(
            name: "notes", files: [UnitFile(Self.good + text, file: "f")], source: "f", credentials: credentials)
        return (read.app, read.problems.map(\.description))
    }

    @Test func theConfigurationSaysWhatIsWrongAndWhere() throws {
        let missing = read("ClientSecretFile=/nonexistent/s")
        #expect(
            missing.problems == ["f:5: ClientSecretFile=/nonexistent/s cannot be read: No such file or directory"])
        #expect(missing.app != nil)

        let open = try directory.write("open", "s3cret\n")
        chmod(open, 0o644)
        #expect(
            read("\nClientSecretFile=\(open)").problems == [
                "f:6: ClientSecretFile=\(open) is open to everybody: chmod o= it"
            ])
        chmod(open, 0o600)
        #expect(read("ClientSecretFile=\(open)").problems == [])

        let key = try directory.write("key", "s3cret\n")
        chmod(key, 0o600)
        #expect(read("ClientKeyFile=\(key)").problems == ["f:5: ClientKeyFile=\(key) holds neither PEM nor a JWK"])
    }

    @Test func credentialsAreLookedAtWhereThereAreAny() throws {
        #expect(read("ClientSecretFile=credential:secret").problems == [])
        #expect(read("ClientSecretFile=credential:secret", credentials: directory.path).problems.count == 1)
        try directory.write("secret", "s")
        #expect(read("ClientSecretFile=credential:secret", credentials: directory.path).problems == [])
    }

    @Test(
        arguments: [
            ("auto", .auto), ("basic", .basic), ("client_secret_basic", .basic), ("client_secret_post", .post),
            ("none", .none), ("", .auto),
        ] as [(String, ClientAuthenticationMethod)])
    func howAClientShowsWhoItIs(word: String, method: ClientAuthenticationMethod) throws {
        let path = try directory.write("secret", "s")
        chmod(path, 0o600)
        let (app, problems) = read("ClientSecretFile=\(path)\nClientAuthentication=\(word)")
        #expect(problems == [])
        #expect(app?.clientAuthentication == method)
        var client = Client(clientID: "scene")
        try app?.addCredentials(to: &client, credentials: nil)
        #expect(client.authentication == method)
        #expect(client.clientSecret == (method == .none ? nil : Secret("s")))
    }

    @Test(arguments: [
        ("ClientAuthentication=perhaps", 5), ("ClientAuthentication=basic", 5), ("\nClientAuthentication=post", 6),
        ("ClientAuthentication=private_key_jwt\nClientSecretFile=credential:x", 5),
        ("ClientSecretFile=credential:x\nClientKeyFile=credential:y", 6), ("DefaultMaxAge=0", 5),
        ("DefaultMaxAge=soon", 5), ("DefaultMaxAge=99999999999999999999", 5),
    ])
    func contradictions(text: String, line: Int) {
        let (app, problems) = read(text)
        #expect(app == nil)
        #expect(problems.count == 1 && problems.first?.hasPrefix("f:\(line): ") == true, "\(problems)")
    }

    @Test func maxAge() {
        #expect(read("DefaultMaxAge=300").app?.defaultMaxAge == 300)
        #expect(read("DefaultMaxAge=300\nDefaultMaxAge=").app?.defaultMaxAge == nil)
    }

    @Test func aFileThatWentAwayIsAFailureAndNoPublicClient() throws {
        let path = try directory.write("secret", "s")
        chmod(path, 0o600)
        let app = try #require(read("ClientSecretFile=\(path)").app)
        unlink(path)
        var client = Client(clientID: "scene")
        #expect(
            throws: OAuthFailure.unusableCredential(
                "ClientSecretFile=\(path) cannot be read: No such file or directory")
        ) {
            try app.addCredentials(to: &client, credentials: nil)
        }
    }
}
