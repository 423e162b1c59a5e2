import CSodium
import SceneModel

/// Random values that nobody can guess, as base64url.
enum RandomText {
    /// 256 bits from libsodium.
    static func make() -> String {
        var bytes = [UInt8](repeating: 0, count: 32)
        randombytes_buf(&bytes, bytes.count)
        defer { sodium_memzero(&bytes, bytes.count) }
        return Base64URL.encode(bytes)
    }
}

/// Proof Key for Code Exchange (RFC 7636), always with S256.
enum PKCE {
    static func makeVerifier() -> Secret {
        Secret(RandomText.make())
    }

    /// BASE64URL(SHA256(ASCII(code_verifier))), section 4.2.
    static func challenge(for verifier: Secret) -> String {
        var digest = [UInt8](repeating: 0, count: Int(crypto_hash_sha256_BYTES))
        verifier.withBytes {
            _ = crypto_hash_sha256(&digest, $0.bindMemory(to: UInt8.self).baseAddress, UInt64($0.count))
        }
        return Base64URL.encode(digest)
    }
}
