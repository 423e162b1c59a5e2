/// Reads keys from a terminal's bytes. What is pasted is no key press: a text must not sign anybody out.
package struct KeyParser {
    private enum State {
        case plain, escape, sequence
        /// An SS3 sequence, which has one more byte: what keypads send in application mode.
        case single
    }

    private static let pasteLimit = 64 << 10

    private var state = State.plain
    private var parameters = ""
    private var pasted: [UInt8]?
    /// The beginning of a character of several bytes.
    private var character: [UInt8] = []

    package init() {}

    /// Whether a sequence has begun whose rest may still come; alone it is the Escape key.
    package var isWaiting: Bool { state != .plain }

    package mutating func received(_ bytes: some Sequence<UInt8>) -> [Key] {
        let bytes = Array(bytes)
        if let text = unannounced(bytes) { return [.pasted(text)] }
        return bytes.compactMap { received($0) }
    }

    /// Nothing more came.
    package mutating func timedOut() -> [Key] {
        defer { state = .plain }
        return state == .escape && pasted == nil ? [.escape] : []
    }

    /// An address that came at once, from a terminal that does not tell what is pasted: nobody types so fast.
    private func unannounced(_ bytes: [UInt8]) -> String? {
        guard state == .plain, pasted == nil, character.isEmpty, !bytes.contains(0x1B) else { return nil }
        let text = Self.trimmed(bytes)
        return text.contains("://") && !text.contains { $0.isWhitespace } ? text : nil
    }

    private static func trimmed(_ bytes: [UInt8]) -> String {
        let isSpace = { (byte: UInt8) in byte <= 0x20 }
        let end = bytes.lastIndex { !isSpace($0) }.map { $0 + 1 } ?? 0
        return String(decoding: bytes[..<end].drop(while: isSpace), as: UTF8.self)
    }

    private mutating func received(_ byte: UInt8) -> Key? {
        switch (state, byte) {
        case (.plain, 0x1B), (.escape, 0x1B):
            state = .escape
            character = []
        case (.plain, _):
            return plain(byte)
        case (.escape, UInt8(ascii: "[")):
            state = .sequence
            parameters = ""
        case (.escape, UInt8(ascii: "O")):
            state = .single
        case (.escape, _):
            // With Alt: no key of ours.
            state = .plain
        case (.single, _):
            state = .plain
            return pasted == nil ? moving(byte) : nil
        case (.sequence, 0x20...0x3F):
            if parameters.utf8.count < 16 { parameters.unicodeScalars.append(Unicode.Scalar(byte)) }
        case (.sequence, _):
            state = .plain
            return sequenceEnded(byte)
        }
        return nil
    }

    private mutating func sequenceEnded(_ final: UInt8) -> Key? {
        switch (parameters, final) {
        case ("200", UInt8(ascii: "~")): pasted = []
        case ("201", UInt8(ascii: "~")):
            defer { pasted = nil }
            return pasted.map { .pasted(Self.trimmed($0)) }
        case ("", _): return pasted == nil ? moving(final) : nil
        case (_, UInt8(ascii: "~")) where pasted == nil: return editing
        default: break
        }
        return nil
    }

    private mutating func plain(_ byte: UInt8) -> Key? {
        if pasted != nil {
            if pasted?.count ?? 0 < Self.pasteLimit { pasted?.append(byte) }
            return nil
        }
        if byte >= 0x80 { return part(byte) }
        character = []
        return switch byte {
        case 0x0A, 0x0D: .enter
        case 0x09: .tab
        case 0x08, 0x7F: .backspace
        case 0x15: .eraseLine
        case 0x20..<0x7F: .character(Character(Unicode.Scalar(byte)))
        default: nil
        }
    }

    /// A byte of a character beyond ASCII.
    private mutating func part(_ byte: UInt8) -> Key? {
        if byte >= 0xC0 { character = [] }
        character.append(byte)
        let length =
            switch character[0] {
            case 0xC2...0xDF: 2
            case 0xE0...0xEF: 3
            case 0xF0...0xF4: 4
            default: 0
            }
        guard length > 0 else {
            character = []
            return nil
        }
        guard character.count == length else { return nil }
        defer { character = [] }
        guard let text = String(validating: character, as: UTF8.self), let scalar = text.unicodeScalars.first,
            scalar.properties.generalCategory != .control
        else { return nil }
        return .character(Character(scalar))
    }

    private func moving(_ byte: UInt8) -> Key? {
        switch byte {
        case UInt8(ascii: "A"): .up
        case UInt8(ascii: "B"): .down
        case UInt8(ascii: "F"): .end
        case UInt8(ascii: "H"): .home
        default: nil
        }
    }

    private var editing: Key? {
        switch parameters {
        case "1", "7": .home
        case "3": .delete
        case "4", "8": .end
        case "5": .pageUp
        case "6": .pageDown
        default: nil
        }
    }
}
