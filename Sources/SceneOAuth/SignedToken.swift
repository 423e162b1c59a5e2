import CJOSE
import CSodium
import Glibc
import SceneModel

/// A JWT in compact form (RFC 7519), its signature not yet checked.
struct SignedToken {
    let algorithm: String
    let keyID: String?
    private let compact: Secret

    /// Asymmetric signatures only; never `none`, never a MAC that a public key could be taken for.
    static let algorithms: Set<String> = [
        "RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "EdDSA", "Ed25519",
    ]

    /// Bytes of an ID token at the most.
    static let longest = 64 << 10

    init(_ token: Secret) throws(OAuthFailure) {
        guard token.count <= Self.longest else { throw .invalidIDToken("is larger than 64 KiB") }
        let members = try SignedToken.header(of: token)
        guard members["enc"] == nil else { throw .invalidIDToken("is encrypted, which is not supported") }
        guard let algorithm = members["alg"]?.string else { throw .invalidIDToken("names no algorithm") }
        guard algorithm.lowercased() != "none" else { throw .invalidIDToken("is not signed: its alg is none") }
        guard SignedToken.algorithms.contains(algorithm) else {
            throw .invalidIDToken("is signed with an algorithm that is not allowed: \(ScrubbedText.code(algorithm))")
        }
        guard members["crit"] == nil else { throw .invalidIDToken("has critical extensions") }
        guard SignedToken.isIDTokenType(members["typ"]) else { throw .invalidIDToken("is of another type: its typ") }
        self.algorithm = algorithm
        switch members["kid"] {
        case nil, .null?: keyID = nil
        case .string(let text)?: keyID = text
        default: throw .invalidIDToken("has a kid that is no string")
        }
        compact = token
    }

    private static func header(of token: Secret) throws(OAuthFailure) -> [String: JSONValue] {
        let (parts, header) = token.withBytes { bytes -> (Int, [UInt8]?) in
            let parts = bytes.split(separator: UInt8(ascii: "."), maxSplits: 5, omittingEmptySubsequences: false)
            return (parts.count, parts.first.flatMap { Base64URL.decode($0) })
        }
        guard parts != 5 else { throw .invalidIDToken("is encrypted, which is not supported") }
        guard parts == 3, let header else { throw .invalidIDToken("is no signed JWT") }
        do throws(JSONFault) {
            return try JSONValue.members(of: header)
        } catch {
            guard case .malformed(let reason) = error else { throw .invalidIDToken("is no signed JWT") }
            throw .invalidIDToken("has a header that is not in order: \(reason)")
        }
    }

    /// An access token or a logout token, say, says what it is, so that it cannot pass for an ID token (RFC 8725,
    /// section 3.11).
    private static func isIDTokenType(_ type: JSONValue?) -> Bool {
        switch type {
        case nil, .null?: true
        case .string(let text)?: ["jwt", "application/jwt"].contains(text.lowercased())
        default: false
        }
    }

    /// The claims, if one of the keys signed them.
    func claims(verifiedBy keys: [JSONWebKey]) throws(OAuthFailure) -> [String: JSONValue]? {
        for key in keys.candidates(keyID: keyID, algorithm: algorithm).prefix(4) {
            if let payload = payload(verifiedBy: key) { return try SignedToken.claims(in: payload) }
        }
        return nil
    }

    /// The claims, whoever signed them.
    func unverifiedClaims() throws(OAuthFailure) -> [String: JSONValue] {
        let payload = compact.withBytes { bytes in
            let parts = bytes.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
            return parts.dropFirst().first.flatMap { Base64URL.decode($0) }
        }
        return try SignedToken.claims(in: payload ?? [])
    }

    private static func claims(in payload: [UInt8]) throws(OAuthFailure) -> [String: JSONValue] {
        do throws(JSONFault) {
            return try JSONValue.members(of: payload)
        } catch {
            guard case .malformed(let reason) = error else { throw .invalidIDToken("has no claims") }
            throw .invalidIDToken("has claims that are not in order: \(reason)")
        }
    }

    /// Why none of the keys verifies it.
    func mismatch(with keys: [JSONWebKey]) -> OAuthFailure {
        if !keys.candidates(keyID: keyID, algorithm: algorithm).isEmpty {
            return .invalidIDToken("has a signature that does not fit the login host's key")
        }
        guard keyID == nil else { return .invalidIDToken("is signed with a key that the login host does not publish") }
        // OpenID Connect Core 1.0, section 10.1: only where there is but one key may `kid` be left out.
        return keys.contains { $0.algorithms.contains(algorithm) }
            ? .invalidIDToken("does not say which of the login host's keys signed it: kid is missing")
            : .invalidIDToken("is signed with \(algorithm), for which the login host publishes no key")
    }

    private func payload(verifiedBy key: JSONWebKey) -> [UInt8]? {
        compact.withBytes { bytes in
            if let point = key.edwardsPoint { return Self.edwardsPayload(bytes, point) }
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

    /// Ed25519 (RFC 8037, section 3.1) by libsodium: libcjose has no EdDSA.
    private static func edwardsPayload(_ compact: UnsafeRawBufferPointer, _ point: [UInt8]) -> [UInt8]? {
        let dot = UInt8(ascii: ".")
        guard let first = compact.firstIndex(of: dot), let last = compact.lastIndex(of: dot), first < last,
            let signature = Base64URL.decode(compact[(last + 1)...]), signature.count == Int(crypto_sign_BYTES)
        else { return nil }
        let signed = compact.prefix(last)
        let fits = crypto_sign_verify_detached(signature, Array(signed), UInt64(signed.count), point) == 0
        return fits ? Base64URL.decode(compact[(first + 1)..<last]) : nil
    }

    /// `at_hash` as this token's algorithm makes it (OpenID Connect Core 1.0, section 3.1.3.6): Ed25519 has SHA-512.
    func accessTokenHash(of accessToken: Secret) -> String? {
        guard let bits = Int(algorithm.suffix(3)) ?? (algorithm.hasPrefix("Ed") ? 512 : nil) else { return nil }
        var digest = [UInt8](repeating: 0, count: 64)
        let known = accessToken.withBytes { scene_sha2(Int32(bits), $0.baseAddress, $0.count, &digest) }
        return known ? Base64URL.encode(digest.prefix(bits / 16)) : nil
    }
}

extension OAuthFailure {
    /// `fault` goes on from "the ID token".
    static func invalidIDToken(_ fault: String) -> OAuthFailure {
        .invalid(code: "invalid_id_token", reason: "the ID token " + fault)
    }
}
