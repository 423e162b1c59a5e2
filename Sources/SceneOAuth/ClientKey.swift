import CJOSE
import Glibc
import SceneModel

/// A client's own private key, with which it shows a login host who it is: RSA of at least 2048 bits, or a NIST curve.
///
/// libcjose only reads it after it was made, so that it may be used from any thread.
package final class ClientKey: @unchecked Sendable {
    /// What is wrong with a key's text, to go on from the file's name. Holds nothing of the key.
    package struct Fault: Error, Equatable {
        package var text: String
    }

    private let key: OpaquePointer
    private let keyID: String?
    /// The algorithms that the key can sign with, in order of preference.
    let algorithms: [String]

    /// Reads PEM (PKCS#8, PKCS#1, SEC 1) or a JWK (RFC 7517). `keyID` is told to the host; else the JWK's own is.
    package init(_ text: Secret, keyID: String? = nil) throws(Fault) {
        let bytes = text.withBytes { Array($0) }
        if let members = JSONValue.object(in: bytes) {
            self.keyID = keyID ?? members["kid"]?.string
            key = try ClientKey.key(in: bytes, members)
            algorithms = try ClientKey.algorithms(of: key, named: members["alg"]?.string)
        } else {
            self.keyID = keyID
            key = try ClientKey.key(inPEM: bytes)
            algorithms = try ClientKey.algorithms(of: key, named: nil)
        }
    }

    deinit { cjose_jwk_release(key) }

    private static func key(in bytes: [UInt8], _ members: [String: JSONValue]) throws(Fault) -> OpaquePointer {
        guard members["keys"] == nil else { throw Fault(text: "holds a JWK Set; one JWK is needed") }
        guard ["RSA", "EC"].contains(members["kty"]?.string) else {
            throw Fault(text: "holds a JWK that is neither RSA nor EC")
        }
        guard members["d"]?.string != nil else { throw Fault(text: "holds a public key; the private one is needed") }
        let key = bytes.withUnsafeBytes {
            cjose_jwk_import($0.bindMemory(to: CChar.self).baseAddress, $0.count, nil)
        }
        guard let key else { throw Fault(text: "holds a JWK that is not in order") }
        return key
    }

    private static func key(inPEM bytes: [UInt8]) throws(Fault) -> OpaquePointer {
        let text = String(decoding: bytes, as: UTF8.self)
        guard text.contains("-----BEGIN") else { throw Fault(text: "holds neither PEM nor a JWK") }
        guard !text.contains("ENCRYPTED") else {
            throw Fault(text: "is protected by a passphrase; store the key without one (openssl pkey)")
        }
        guard text.contains("PRIVATE KEY-----") else {
            throw Fault(text: "holds no private key; that is what is needed")
        }
        let key = bytes.withUnsafeBytes {
            scene_jwk_from_pem($0.bindMemory(to: CChar.self).baseAddress, $0.count)
        }
        guard let key else { throw Fault(text: "holds no RSA key, nor one of the curves P-256, P-384 and P-521") }
        return key
    }

    /// Throws, and releases the key, where it can sign with none.
    private static func algorithms(of key: OpaquePointer, named name: String?) throws(Fault) -> [String] {
        var found: [String]
        switch cjose_jwk_get_kty(key, nil) {
        case CJOSE_JWK_KTY_RSA:
            found = ["RS256", "PS256", "RS384", "PS384", "RS512", "PS512"]
            if cjose_jwk_get_keysize(key, nil) < 2048 { found = [] }
        case CJOSE_JWK_KTY_EC:
            let curves: [(cjose_jwk_ec_curve, String)] = [
                (CJOSE_JWK_EC_P_256, "ES256"), (CJOSE_JWK_EC_P_384, "ES384"), (CJOSE_JWK_EC_P_521, "ES512"),
            ]
            let curve = cjose_jwk_EC_get_curve(key, nil)
            found = curves.filter { $0.0 == curve }.map(\.1)
        default: found = []
        }
        guard !found.isEmpty else {
            cjose_jwk_release(key)
            throw Fault(text: "holds an RSA key of fewer than 2048 bits")
        }
        guard let name else { return found }
        guard found.contains(name) else {
            cjose_jwk_release(key)
            throw Fault(text: "holds a JWK whose alg does not fit its key")
        }
        return [name]
    }

    /// A JWT with these claims, signed with the first of our algorithms that the host supports; with the first of all
    /// where it does not say. Nil where libcjose cannot sign.
    func sign(_ claims: [String: JSONValue], supported: [String]?) -> Secret? {
        let algorithm = algorithms.first { supported?.contains($0) ?? true } ?? algorithms.first
        guard let algorithm else { return nil }
        let payload = Array(JSONValue.text(of: claims).utf8)
        guard let text = scene_jws_sign(key, algorithm, keyID, payload, payload.count) else { return nil }
        defer { free(text) }
        return Secret(String(cString: text))
    }
}
