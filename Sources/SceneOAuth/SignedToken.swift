import CJOSE
import Glibc
import SceneModel

/// A JWT in compact form (RFC 7519), its signature not yet checked.
struct SignedToken {
    let algorithm: String
    let keyID: String?
    private let compact: Secret

    /// Asymmetric signatures only; never `none`, never a MAC that a public key could be taken for.
    /// libcjose has no EdDSA.
    static let algorithms: Set<String> = [
        "RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512",
    ]

    init(_ token: Secret) throws(OAuthFailure) {
        guard token.count <= 64 << 10 else {
            throw .invalid(code: "invalid_id_token", reason: "the ID token is too large")
        }
        let header = token.withBytes { bytes -> [UInt8]? in
            let parts = bytes.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
            return parts.count == 3 ? Base64URL.decode(parts[0]) : nil
        }
        guard let header, let members = JSONValue.object(in: header) else {
            throw .invalid(code: "invalid_id_token", reason: "the ID token is no JWT")
        }
        guard let algorithm = members["alg"]?.string, SignedToken.algorithms.contains(algorithm) else {
            throw .invalid(code: "invalid_id_token", reason: "the ID token's algorithm is not allowed")
        }
        guard members["crit"] == nil else {
            throw .invalid(code: "invalid_id_token", reason: "the ID token has critical extensions")
        }
        self.algorithm = algorithm
        keyID = members["kid"]?.string
        compact = token
    }

    /// The claims, if one of the keys signed them.
    func claims(verifiedBy keys: [JSONWebKey]) -> [String: JSONValue]? {
        for key in keys.prefix(4) {
            if let payload = payload(verifiedBy: key) { return JSONValue.object(in: payload) }
        }
        return nil
    }

    private func payload(verifiedBy key: JSONWebKey) -> [UInt8]? {
        compact.withBytes { bytes in
            var payload: UnsafeMutablePointer<UInt8>?
            var count = 0
            let text = bytes.bindMemory(to: CChar.self)
            let valid = scene_jws_verify(
                text.baseAddress, text.count, key.json, key.json.utf8.count, algorithm, &payload, &count)
            guard valid, let payload else { return nil }
            defer { free(payload) }
            return Array(UnsafeBufferPointer(start: payload, count: count))
        }
    }

    /// `at_hash` as this token's algorithm makes it (OpenID Connect Core 1.0, section 3.1.3.6).
    func accessTokenHash(of accessToken: Secret) -> String? {
        guard let bits = Int(algorithm.suffix(3)) else { return nil }
        var digest = [UInt8](repeating: 0, count: 64)
        let known = accessToken.withBytes { scene_sha2(Int32(bits), $0.baseAddress, $0.count, &digest) }
        return known ? Base64URL.encode(digest.prefix(bits / 16)) : nil
    }
}
