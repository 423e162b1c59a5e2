import CJOSE
import CSodium
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

    /// The whole key as a JWK's text.
    func privateText(_ members: [String: JSONValue] = [:]) -> String {
        guard let text = cjose_jwk_to_json(key, true, nil) else { return "" }
        defer { free(text) }
        var object = JSONValue.object(in: Array(String(cString: text).utf8)) ?? [:]
        if let keyID { object["kid"] = .string(keyID) }
        return JSONValue.text(of: object.merging(members) { $1 })
    }

    func sign(
        _ claims: [String: JSONValue], algorithm: String, keyID: String?? = nil, header more: [String: String] = [:]
    ) -> String {
        sign(JSONValue.text(of: claims), algorithm: algorithm, keyID: keyID, header: more)
    }

    /// Signs claims that are JSON already, in order or not.
    func sign(
        _ claims: String, algorithm: String, keyID: String?? = nil, header more: [String: String] = [:]
    ) -> String {
        let header = cjose_header_new(nil)
        defer { cjose_header_release(header) }
        cjose_header_set(header, "alg", algorithm, nil)
        if let keyID = keyID ?? self.keyID { cjose_header_set(header, "kid", keyID, nil) }
        for (name, value) in more { cjose_header_set(header, name, value, nil) }
        let payload = Array(claims.utf8)
        guard let jws = cjose_jws_sign(key, header, payload, payload.count, nil) else { return "" }
        defer { cjose_jws_release(jws) }
        var text: UnsafePointer<CChar>?
        guard cjose_jws_export(jws, &text, nil), let text else { return "" }
        return String(cString: text)
    }
}

/// An Ed25519 key (RFC 8037), which libcjose does not have.
struct EdwardsKey {
    private let secret: [UInt8]
    private let point: [UInt8]

    init() {
        var point = [UInt8](repeating: 0, count: Int(crypto_sign_PUBLICKEYBYTES))
        var secret = [UInt8](repeating: 0, count: Int(crypto_sign_SECRETKEYBYTES))
        crypto_sign_keypair(&point, &secret)
        self.point = point
        self.secret = secret
    }

    func publicKey(_ members: [String: JSONValue] = [:]) -> [String: JSONValue] {
        let key: [String: JSONValue] = [
            "kty": .string("OKP"), "crv": .string("Ed25519"), "x": .string(Base64URL.encode(point)),
            "kid": .string("ed"),
        ]
        return key.merging(members) { _, new in new }
    }

    func sign(_ claims: [String: JSONValue], algorithm: String) -> String {
        let header = Base64URL.encode(#"{"alg":"\#(algorithm)","kid":"ed"}"#.utf8)
        let signed = header + "." + Base64URL.encode(JSONValue.text(of: claims).utf8)
        var signature = [UInt8](repeating: 0, count: Int(crypto_sign_BYTES))
        crypto_sign_detached(&signature, nil, Array(signed.utf8), UInt64(signed.utf8.count), secret)
        return signed + "." + Base64URL.encode(signature)
    }
}

func keySet(_ keys: [String: JSONValue]...) -> String {
    JSONValue.text(of: ["keys": .array(keys.map { .object($0) })])
}

/// A token without a signature.
func unsigned(_ header: String, _ claims: [String: JSONValue], signature: String = "") -> String {
    Base64URL.encode(header.utf8) + "." + Base64URL.encode(JSONValue.text(of: claims).utf8) + "." + signature
}
