/// A public signing key of a login host (RFC 7517): RSA of at least 2048 bits, a NIST curve, or Ed25519.
struct JSONWebKey: Sendable, Equatable {
    let keyID: String?
    /// The algorithms that this key may be used with.
    let algorithms: Set<String>
    /// The key's public members and no others.
    let json: String
    /// Ed25519's 32 bytes (RFC 8037), for libsodium; libcjose has the other kinds.
    let edwardsPoint: [UInt8]?

    /// The usable keys of a JWK Set; what is for encryption, malformed or of an unknown kind is left out.
    /// Nil where the document is no JWK Set.
    static func keys(in document: [UInt8]) -> [JSONWebKey]? {
        JSONValue.object(in: document)?["keys"]?.elements?.prefix(100).compactMap(JSONWebKey.init)
    }

    init?(_ value: JSONValue) {
        guard case .object(let members) = value else { return nil }
        if let use = members["use"]?.string, use != "sig" { return nil }
        if let operations = members["key_ops"]?.strings, !operations.contains("verify") { return nil }

        func bytes(_ name: String) -> [UInt8]? { members[name]?.string.flatMap { Base64URL.decode($0.utf8) } }
        var possible: Set<String>
        var point: [UInt8]?
        switch members["kty"]?.string {
        case "RSA":
            guard let modulus = bytes("n")?.drop(while: { $0 == 0 }), 256...1024 ~= modulus.count,
                let exponent = bytes("e"), 1...8 ~= exponent.count
            else { return nil }
            possible = ["RS256", "RS384", "RS512", "PS256", "PS384", "PS512"]
            json = """
                {"kty":"RSA","n":"\(Base64URL.encode(modulus))","e":"\(Base64URL.encode(exponent))"}
                """
        case "EC":
            guard let curve = members["crv"]?.string, let (size, algorithm) = JSONWebKey.curves[curve],
                let x = bytes("x"), let y = bytes("y"), x.count <= size, y.count <= size
            else { return nil }
            possible = [algorithm]
            json = """
                {"kty":"EC","crv":"\(curve)","x":"\(Base64URL.encode(x.padded(to: size)))",\
                "y":"\(Base64URL.encode(y.padded(to: size)))"}
                """
        case "OKP":
            guard members["crv"]?.string == "Ed25519", let x = bytes("x"), x.count == 32 else { return nil }
            // "Ed25519" is the newer name (RFC 9864).
            possible = ["EdDSA", "Ed25519"]
            json = """
                {"kty":"OKP","crv":"Ed25519","x":"\(Base64URL.encode(x))"}
                """
            point = x
        default: return nil
        }
        edwardsPoint = point
        if let algorithm = members["alg"]?.string {
            let names: Set = ["EdDSA", "Ed25519"]
            possible.formIntersection(names.contains(algorithm) ? names : [algorithm])
        }
        guard !possible.isEmpty else { return nil }
        keyID = members["kid"]?.string
        algorithms = possible
    }

    /// Bytes of a coordinate, and the algorithm (RFC 7518, sections 3.4 and 6.2.1).
    private static let curves = ["P-256": (32, "ES256"), "P-384": (48, "ES384"), "P-521": (66, "ES512")]
}

extension Collection<JSONWebKey> {
    /// The keys that may have signed a token: those with its `kid`, or, for a token without one, the only key that fits.
    func candidates(keyID: String?, algorithm: String) -> [JSONWebKey] {
        let fitting = filter { $0.algorithms.contains(algorithm) }
        if let keyID { return fitting.filter { $0.keyID == keyID } }
        return fitting.count == 1 ? fitting : []
    }
}

extension [UInt8] {
    /// Some hosts leave leading zeros of a coordinate out.
    fileprivate func padded(to size: Int) -> [UInt8] {
        [UInt8](repeating: 0, count: Swift.max(0, size - count)) + self
    }
}
