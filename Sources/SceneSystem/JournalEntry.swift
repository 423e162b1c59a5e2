/// What is to be remembered of something that happened, in systemd's terms (systemd.journal-fields(7)).
package struct JournalEntry: Sendable {
    /// As in syslog(3).
    package enum Priority: Int, CaseIterable, Comparable, Sendable {
        case emergency, alert, critical, error, warning, notice, info, debug

        /// The less urgent is the greater.
        package static func < (left: Priority, right: Priority) -> Bool { left.rawValue < right.rawValue }
    }

    package var priority: Priority
    package var message: String
    /// 32 hexadecimal digits that stand for the kind of event.
    package var messageID: String?
    /// Names are capital letters, digits and underscores, and begin with a letter; others are left out.
    package var fields: [(name: String, value: String)]

    package init(
        priority: Priority = .info, message: String, messageID: String? = nil,
        fields: [(name: String, value: String)] = []
    ) {
        self.priority = priority
        self.message = message
        self.messageID = messageID
        self.fields = fields
    }
}

extension JournalEntry {
    /// How much of a value is written, in bytes.
    static let longestValue = 16 << 10

    /// What goes to the journal besides PRIORITY, MESSAGE and the identifier.
    private var extraFields: [(name: String, value: String)] {
        (messageID.map { [(name: "MESSAGE_ID", value: $0)] } ?? []) + fields.filter { Self.isFieldName($0.name) }
    }

    /// Each field as `NAME=value`; a value may contain anything, since the journal is told its length.
    func encoded(identifier: String) -> [[UInt8]] {
        let own = [
            (name: "PRIORITY", value: "\(priority.rawValue)"), (name: "SYSLOG_IDENTIFIER", value: identifier),
            (name: "MESSAGE", value: message),
        ]
        return (own + extraFields).map { Array("\($0.name)=".utf8) + $0.value.utf8.prefix(Self.longestValue) }
    }

    /// One line for a log that knows none but lines: `<6>message NAME=value NAME="value with spaces"`.
    var line: String {
        var line = "<\(priority.rawValue)>" + Self.escaped(message)
        for (name, value) in extraFields {
            line += " \(name)=" + Self.quotedIfNeeded(value)
        }
        return line
    }

    static func isFieldName(_ name: String) -> Bool {
        guard let first = name.utf8.first, (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(first) else { return false }
        return name.utf8.count <= 64
            && name.utf8.allSatisfy {
                (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0)
                    || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) || $0 == UInt8(ascii: "_")
            }
    }

    private static func quotedIfNeeded(_ value: String) -> String {
        let isPlain = value.unicodeScalars.allSatisfy {
            $0.value > 0x20 && $0.value < 0x7f && $0 != "\"" && $0 != "\\" && $0 != "="
        }
        return isPlain && !value.isEmpty ? value : "\"" + escaped(value, quote: true) + "\""
    }

    /// Control characters, which could end the line or drive a terminal, are written out.
    private static func escaped(_ text: String, quote: Bool = false) -> String {
        var result = ""
        for scalar in text.unicodeScalars {
            guard result.utf8.count < longestValue else { break }
            switch scalar {
            case "\n": result += "\\n"
            case "\\" where quote, "\"" where quote: result += "\\\(scalar)"
            case _ where scalar.properties.generalCategory == .control,
                _ where scalar.properties.generalCategory == .format,
                "\u{2028}", "\u{2029}":
                result += "\\u{" + String(scalar.value, radix: 16) + "}"
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result
    }
}
