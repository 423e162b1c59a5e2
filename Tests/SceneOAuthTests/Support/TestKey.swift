import CJOSE
import Glibc

@testable import SceneOAuth

/// A private key that signs ID tokens in tests.
final class TestKey: @unchecked Sendable {
    private let key: OpaquePointer
    let keyID: String?

    static let rsa = TestKey(cjose_jwk_create_RSA_random(2048, [1, 0, 1], 3, nil), "rsa")
    static let otherRSA = TestKey(cjose_jwk_create_RSA_random(2048, [1, 0, 1], 3, nil), "other")
    static let smallRSA = TestKey(cjose_jwk_create_RSA_random(1024, [1, 0, 1], 3, nil), "small")
    static let p256 = TestKey(cjose_jwk_create_EC_random(CJOSE_JWK_EC_P_256, nil), "p256")
    static let p384 = TestKey(cjose_jwk_create_EC_random(CJOSE_JWK_EC_P_384, nil), "p384")
    static let p521 = TestKey(cjose_jwk_create_EC_random(CJOSE_JWK_EC_P_521, nil), "p521")

    private init(_ key: OpaquePointer?, _ keyID: String?) {
        guard let key else { fatalError("libcjose makes no key") }
        self.key = key
        self.keyID = keyID
    }

    /// A MAC key made of bytes that everybody knows.
    static func mac(_ bytes: [UInt8], keyID: String) -> TestKey {
        TestKey(cjose_jwk_create_oct_spec(bytes, bytes.count, nil), keyID)
    }

    /// The public key as a member of a JWK Set.
    func publicKey(_ members: [String: JSONValue] = [:]) -> [String: JSONValue] {
        guard let text = cjose_jwk_to_json(key, false, nil) else { return [:] }
        defer { free(text) }
        var object = JSONValue.object(in: Array(String(cString: text).utf8)) ?? [:]
        if let keyID { object["kid"] = .string(keyID) }
        return object.merging(members) { _, new in new }
    }

    func sign(_ claims: [String: JSONValue], algorithm: String, keyID: String?? = nil) -> String {
        let header = cjose_header_new(nil)
        defer { cjose_header_release(header) }
        cjose_header_set(header, "alg", algorithm, nil)
        if let keyID = keyID ?? self.keyID { cjose_header_set(header, "kid", keyID, nil) }
        let payload = Array(JSONValue.text(of: claims).utf8)
        guard let jws = cjose_jws_sign(key, header, payload, payload.count, nil) else { return "" }
        defer { cjose_jws_release(jws) }
        var text: UnsafePointer<CChar>?
        guard cjose_jws_export(jws, &text, nil), let text else { return "" }
        return String(cString: text)
    }
}

func keySet(_ keys: [String: JSONValue]...) -> String {
    JSONValue.text(of: ["keys": .array(keys.map { .object($0) })])
}

/// A token without a signature.
func unsigned(_ header: String, _ claims: [String: JSONValue], signature: String = "") -> String {
    Base64URL.encode(header.utf8) + "." + Base64URL.encode(JSONValue.text(of: claims).utf8) + "." + signature
}
