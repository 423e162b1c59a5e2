/// 128 bits of the kernel's randomness, in base64url: 22 characters.
func randomToken() -> String {
    let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".unicodeScalars)
    var generator = SystemRandomNumberGenerator()
    var bits = UInt128(truncatingIfNeeded: generator.next()) << 64 | UInt128(truncatingIfNeeded: generator.next())
    var token = String.UnicodeScalarView()
    for _ in 0..<22 {
        token.append(alphabet[Int(truncatingIfNeeded: bits & 63)])
        bits >>= 6
    }
    return String(token)
}
