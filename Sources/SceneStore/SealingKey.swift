import CSodium
import SceneModel
import SessionCore

/// Where a sealed value belongs; put elsewhere, it does not open.
struct Cell {
    var table: String
    var column: String
    var session: SessionKey
    /// The account's or revocation's id, or the event's place.
    var row: String

    /// Each part with its length before it, lest two cells read alike.
    fileprivate var additionalData: [UInt8] {
        var bytes: [UInt8] = []
        for part in ["scened", table, column, String(session.uid), session.app, row] {
            withUnsafeBytes(of: UInt64(part.utf8.count).littleEndian) { bytes.append(contentsOf: $0) }
            bytes.append(contentsOf: part.utf8)
        }
        return bytes
    }
}

/// The key that seals what the database holds, in guarded memory (sodium_malloc).
///
/// A sealed value is a version byte, the nonce, and the cipher text with its tag (XChaCha20-Poly1305).
final class SealingKey: @unchecked Sendable {
    static let byteCount = Int(crypto_aead_xchacha20poly1305_ietf_KEYBYTES)
    private static let nonceCount = Int(crypto_aead_xchacha20poly1305_ietf_NPUBBYTES)
    private static let tagCount = Int(crypto_aead_xchacha20poly1305_ietf_ABYTES)
    private static let version: UInt8 = 1

    private let memory: UnsafeMutablePointer<UInt8>

    /// `fill` writes the key's bytes and says whether they are one.
    init(_ fill: (UnsafeMutablePointer<UInt8>) -> Bool) throws(StoreError) {
        guard sodium_init() >= 0, let raw = sodium_malloc(Self.byteCount) else {
            throw StoreError(reason: "There is no memory to keep the sealing key in.")
        }
        memory = raw.assumingMemoryBound(to: UInt8.self)
        guard fill(memory) else { throw StoreError(reason: "A sealing key is 32 bytes, or those in hex or base64.") }
        sodium_mprotect_readonly(raw)
    }

    deinit { sodium_free(memory) }

    static func random() throws(StoreError) -> SealingKey {
        try SealingKey {
            crypto_aead_xchacha20poly1305_ietf_keygen($0)
            return true
        }
    }

    func withBytes<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        body(UnsafeRawBufferPointer(start: memory, count: Self.byteCount))
    }

    /// Tells keys apart without giving them away (keyed BLAKE2b of a constant).
    var fingerprint: [UInt8] {
        let constant = Array("org.scened sealing key".utf8)
        var hash = [UInt8](repeating: 0, count: Int(crypto_generichash_BYTES))
        crypto_generichash(&hash, hash.count, constant, UInt64(constant.count), memory, Self.byteCount)
        return hash
    }

    func seal(_ plain: UnsafeRawBufferPointer, for cell: Cell) -> [UInt8] {
        let start = 1 + Self.nonceCount
        let data = cell.additionalData
        return [UInt8](unsafeUninitializedCapacity: start + plain.count + Self.tagCount) { sealed, count in
            guard let base = sealed.baseAddress else { return }
            base[0] = Self.version
            randombytes_buf(base + 1, Self.nonceCount)
            var length: UInt64 = 0
            crypto_aead_xchacha20poly1305_ietf_encrypt(
                base + start, &length, plain.baseAddress?.assumingMemoryBound(to: UInt8.self), UInt64(plain.count),
                data, UInt64(data.count), nil, base + 1, memory)
            count = start + Int(length)
        }
    }

    /// Nothing where the value was changed, sealed with another key, or for another cell.
    func open(_ sealed: [UInt8], for cell: Cell) -> Secret? {
        let start = 1 + Self.nonceCount
        guard sealed.count >= start + Self.tagCount, sealed[0] == Self.version else { return nil }
        let data = cell.additionalData
        return sealed.withUnsafeBufferPointer { sealed -> Secret? in
            guard let base = sealed.baseAddress else { return nil }
            let capacity = sealed.count - start - Self.tagCount
            return withUnsafeTemporaryAllocation(of: UInt8.self, capacity: max(capacity, 1)) { plain -> Secret? in
                defer { sodium_memzero(plain.baseAddress, plain.count) }
                var length: UInt64 = 0
                let code = crypto_aead_xchacha20poly1305_ietf_decrypt(
                    plain.baseAddress, &length, nil, base + start, UInt64(sealed.count - start), data,
                    UInt64(data.count), base + 1, memory)
                return code == 0 ? Secret(plain.prefix(Int(length))) : nil
            }
        }
    }
}
