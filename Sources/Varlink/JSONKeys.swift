import Glibc

/// Tells whether an object has a name twice, whatever escapes it is written with.
enum JSONKeys {
    /// Up to here comparing each with each is the fastest.
    private static let few = 16

    static func repeats(in object: UInt32, of document: JSONDocument) -> Bool {
        let token = document.token(object)
        if token.members < 2 { return false }
        if token.members <= few, let answer = repeatsAmongFew(object + 1, token.next, document) { return answer }
        return repeatsAmongMany(object + 1, token, document)
    }

    private static func key(after key: UInt32, _ document: JSONDocument) -> UInt32 { document.token(key + 1).next }

    /// Nil where a name holds escapes.
    private static func repeatsAmongFew(_ first: UInt32, _ end: UInt32, _ document: JSONDocument) -> Bool? {
        var left = first
        while left < end {
            let name = document.token(left)
            if name.escaped { return nil }
            var right = key(after: left, document)
            while right < end {
                let other = document.token(right)
                if other.escaped { return nil }
                if other.range.count == name.range.count,
                    memcmp(document.text + Int(name.start), document.text + Int(other.start), name.range.count) == 0
                {
                    return true
                }
                right = key(after: right, document)
            }
            left = key(after: left, document)
        }
        return false
    }

    /// Sorts the names: a peer that chooses them cannot make that quadratic, as it could a hash table.
    private static func repeatsAmongMany(_ first: UInt32, _ object: JSONToken, _ document: JSONDocument) -> Bool {
        let decoded = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: object.range.count)
        defer { decoded.deallocate() }
        var used = 0
        var names: [UnsafeBufferPointer<UInt8>] = []
        names.reserveCapacity(object.members)
        var key = first
        while key < object.next {
            let token = document.token(key)
            var name = document.bytes(token.range)
            if token.escaped {
                let room = UnsafeMutableBufferPointer(rebasing: decoded[used...])
                let length = JSONEscapes.decode(name, into: room)
                name = UnsafeBufferPointer(rebasing: room[..<length])
                used += length
            }
            names.append(name)
            key = self.key(after: key, document)
        }
        names.sort { order($0, $1) < 0 }
        return zip(names, names.dropFirst()).contains { order($0, $1) == 0 }
    }

    private static func order(_ left: UnsafeBufferPointer<UInt8>, _ right: UnsafeBufferPointer<UInt8>) -> Int {
        if left.count != right.count { return left.count - right.count }
        guard let a = left.baseAddress, let b = right.baseAddress else { return 0 }
        return Int(memcmp(a, b, left.count))
    }
}
