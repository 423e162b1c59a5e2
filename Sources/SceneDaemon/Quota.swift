/// What of the daemon a Unix user may hold at a time.
enum Quota: String, CaseIterable, Sendable {
    case connections
    /// Of calls that have not come in whole or are being answered, and of answers that have not been read.
    case bytes
    /// Calls that are being answered: Monitor's among them, ConnectScene's not.
    case calls
    case scenes
    /// Logins under way.
    case logins

    /// What may be set in the section [Quota].
    typealias Settings = [Quota: Int]

    /// The key in the section [Quota].
    var key: String { rawValue.prefix(1).uppercased() + rawValue.dropFirst() }

    init?(key: String) {
        guard let quota = Self.allCases.first(where: { $0.key == key }) else { return nil }
        self = quota
    }

    /// Where nothing is set. A user's own instance serves ten thousand scenes that all wait for a login; that of the
    /// machine leaves room for others.
    func standard(isSystem: Bool) -> Int {
        switch self {
        case .connections: isSystem ? 16_384 : 32_768
        case .bytes: (isSystem ? 16 : 64) << 20
        case .calls: isSystem ? 8_192 : 16_384
        case .scenes: isSystem ? 12_288 : 16_384
        case .logins: isSystem ? 16 : 64
        }
    }

    /// A limit as it is written: a number, of bytes also with K, M or G. Nil where it is none, or not positive.
    func limit(_ text: String) -> Int? {
        var digits = text[...]
        var unit = 1
        if self == .bytes, let last = digits.last, let power = ["K", "M", "G"].firstIndex(of: last) {
            digits.removeLast()
            unit = 1 << (10 * (power + 1))
        }
        guard !digits.isEmpty, digits.utf8.allSatisfy({ (48...57).contains($0) }), let number = Int(digits) else {
            return nil
        }
        let (limit, overflow) = number.multipliedReportingOverflow(by: unit)
        return overflow || limit < 1 ? nil : limit
    }
}
