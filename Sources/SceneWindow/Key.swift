/// What the user pressed.
enum Key: Equatable, Sendable {
    case character(Character)
    case up, down, enter, escape
}

/// Reads keys from a terminal's bytes. What is pasted is no key press: a text must not sign anybody out.
struct KeyParser {
    private enum State {
        case plain, escape, sequence
        /// An SS3 sequence, which has one more byte: what keypads send in application mode.
        case single
    }

    private var state = State.plain
    private var parameters = ""
    private var isPasting = false

    /// Whether a sequence has begun whose rest may still come; alone it is the Escape key.
    var isWaiting: Bool { state != .plain }

    mutating func received(_ bytes: some Sequence<UInt8>) -> [Key] {
        bytes.compactMap { received($0) }
    }

    /// Nothing more came.
    mutating func timedOut() -> [Key] {
        defer { state = .plain }
        return state == .escape && !isPasting ? [.escape] : []
    }

    private mutating func received(_ byte: UInt8) -> Key? {
        switch (state, byte) {
        case (.plain, 0x1B), (.escape, 0x1B):
            state = .escape
        case (.plain, _):
            return isPasting ? nil : plain(byte)
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
            return isPasting ? nil : arrow(byte)
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
        case ("200", UInt8(ascii: "~")): isPasting = true
        case ("201", UInt8(ascii: "~")): isPasting = false
        case ("", _): return isPasting ? nil : arrow(final)
        default: break
        }
        return nil
    }

    private func plain(_ byte: UInt8) -> Key? {
        switch byte {
        case 0x0A, 0x0D: .enter
        case 0x20..<0x7F: .character(Character(Unicode.Scalar(byte)))
        default: nil
        }
    }

    private func arrow(_ byte: UInt8) -> Key? {
        switch byte {
        case UInt8(ascii: "A"): .up
        case UInt8(ascii: "B"): .down
        default: nil
        }
    }
}
