import Glibc
import SceneModel
import SceneOAuth

/// A file with a client's secret or key: an absolute path, or `credential:NAME` for one that the service manager hands
/// over (systemd.exec(5), LoadCredential=).
struct CredentialFile: Hashable, Sendable {
    /// What is wrong with it, as a clause that names the file. Holds nothing of what is in it.
    struct Fault: Error {
        var text: String
    }

    private static let prefix = "credential:"

    /// `ClientSecretFile` or `ClientKeyFile`.
    var key: String
    var value: String

    private func fault(_ text: String) -> Fault { Fault(text: "\(key)=\(value) \(text)") }

    /// The secret is one line of text; a line break at its end is none of it.
    func secret(credentials: String?) throws(Fault) -> Secret {
        let text = try content(credentials)
        let lines = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
        guard let line = lines.first, !line.isEmpty else { throw fault("is empty") }
        guard lines.dropFirst().allSatisfy(\.isEmpty) else { throw fault("holds more than the one line of a secret") }
        return Secret(String(line))
    }

    func clientKey(keyID: String?, credentials: String?) throws(Fault) -> ClientKey {
        let text = try content(credentials)
        guard !text.allSatisfy(\.isWhitespace) else { throw fault("is empty") }
        do throws(ClientKey.Fault) {
            return try ClientKey(Secret(text), keyID: keyID)
        } catch {
            throw fault(error.text)
        }
    }

    private func content(_ credentials: String?) throws(Fault) -> String {
        switch SmallFile.text(try path(credentials)) {
        case .success(let text): return text
        case .failure(let failure): throw fault(failure.text)
        }
    }

    private func path(_ credentials: String?) throws(Fault) -> String {
        guard value.hasPrefix(Self.prefix) else {
            guard value.hasPrefix("/") else { throw fault("is neither an absolute path nor credential:NAME") }
            return value
        }
        let name = value.dropFirst(Self.prefix.count)
        guard !name.isEmpty, !name.contains("/"), name != "..", name != "." else {
            throw fault("does not name a credential")
        }
        guard let credentials else {
            throw fault("is not there: scened was started without credentials (LoadCredential= in its unit)")
        }
        return credentials + "/" + name
    }

    /// What is wrong as far as it can be seen from here: credentials only where the service manager has handed some over.
    func fault(keyID: String?, credentials: String?) -> Fault? {
        if value.hasPrefix(Self.prefix), credentials == nil { return nil }
        do throws(Fault) {
            if key == "ClientKeyFile" {
                _ = try clientKey(keyID: keyID, credentials: credentials)
            } else {
                _ = try secret(credentials: credentials)
            }
        } catch {
            return error
        }
        var status = stat()
        guard value.hasPrefix("/"), stat(value, &status) == 0, status.st_mode & (S_IROTH | S_IWOTH) != 0 else {
            return nil
        }
        return fault("is open to everybody: chmod o= it")
    }
}

extension AppConfiguration {
    /// Adds what the client shows who it is with. Read anew each time, so that a file that was replaced counts at once.
    func addCredentials(to client: inout Client, credentials: String?) throws(OAuthFailure) {
        client.authentication = clientAuthentication
        do throws(CredentialFile.Fault) {
            switch clientAuthentication {
            case .none: break
            case .basic, .post:
                client.clientSecret = try secretFile?.secret(credentials: credentials)
            case .privateKeyJWT:
                client.key = try keyFile?.clientKey(keyID: clientKeyID, credentials: credentials)
            case .auto:
                client.clientSecret = try secretFile?.secret(credentials: credentials)
                client.key = try keyFile?.clientKey(keyID: clientKeyID, credentials: credentials)
            }
        } catch {
            throw .unusableCredential(error.text)
        }
    }

    var secretFile: CredentialFile? { clientSecretFile.map { CredentialFile(key: "ClientSecretFile", value: $0) } }
    var keyFile: CredentialFile? { clientKeyFile.map { CredentialFile(key: "ClientKeyFile", value: $0) } }
}
