import CSodium
import SceneModel

extension SealingKey {
    /// Reads a key as people and tools write one: 32 raw bytes, or those in hex or base64, with or without a line's
    /// end. `source` names it in the error.
    convenience init(reading text: Secret, from source: String) throws(StoreError) {
        do {
            try self.init { key in text.withBytes { Self.read($0, into: key) } }
        } catch {
            throw StoreError(reason: "\(source) does not hold a sealing key: " + error.reason)
        }
    }

    private static func read(_ bytes: UnsafeRawBufferPointer, into key: UnsafeMutablePointer<UInt8>) -> Bool {
        if bytes.count == byteCount {
            UnsafeMutableRawBufferPointer(start: key, count: byteCount).copyMemory(from: bytes)
            return true
        }
        var text = bytes[...]
        while let last = text.last, last == UInt8(ascii: "\n") || last == UInt8(ascii: "\r") { text.removeLast() }
        return UnsafeRawBufferPointer(rebasing: text).withMemoryRebound(to: CChar.self) { text in
            readHex(text, into: key) || readBase64(text, into: key)
        }
    }

    private static func readHex(_ text: UnsafeBufferPointer<CChar>, into key: UnsafeMutablePointer<UInt8>) -> Bool {
        guard text.count == 2 * byteCount, let base = text.baseAddress else { return false }
        var count = 0
        return sodium_hex2bin(key, byteCount, base, text.count, nil, &count, nil) == 0 && count == byteCount
    }

    private static func readBase64(_ text: UnsafeBufferPointer<CChar>, into key: UnsafeMutablePointer<UInt8>) -> Bool {
        guard let base = text.baseAddress else { return false }
        return [sodium_base64_VARIANT_ORIGINAL, sodium_base64_VARIANT_URLSAFE].contains { variant in
            var count = 0
            let code = sodium_base642bin(key, byteCount, base, text.count, nil, &count, nil, variant)
            return code == 0 && count == byteCount
        }
    }
}
