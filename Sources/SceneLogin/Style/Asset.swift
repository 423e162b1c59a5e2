/// A file of the app's own that the login screen shows, as it was when the configuration was read.
package struct Asset: Hashable, Sendable {
    /// A style sheet's.
    var text: String? { String(validating: content, as: UTF8.self) }

    package enum Kind: Sendable { case image, styleSheet }

    /// Bytes.
    package static let limit = 512 << 10

    let contentType: String
    let content: [UInt8]

    /// Nil for an image that is neither PNG, JPEG, GIF, WebP nor SVG, and for a style sheet that is
    /// not written in UTF-8 or has `</style` in it.
    package init?(_ content: [UInt8], _ kind: Kind) {
        guard content.count <= Self.limit else { return nil }
        switch kind {
        case .styleSheet:
            // It goes into the page, and would end there.
            guard let text = String(validating: content, as: UTF8.self), !text.lowercased().contains("</style") else {
                return nil
            }
            contentType = "text/css; charset=utf-8"
        case .image:
            guard let type = Self.imageType(content) else { return nil }
            contentType = type
        }
        self.content = content
    }

    /// By what the file holds, whatever its name.
    private static func imageType(_ content: [UInt8]) -> String? {
        if content.starts(with: [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]) { return "image/png" }
        if content.starts(with: [0xff, 0xd8, 0xff]) { return "image/jpeg" }
        if content.starts(with: "GIF8".utf8) { return "image/gif" }
        if content.starts(with: "RIFF".utf8), content.dropFirst(8).starts(with: "WEBP".utf8) { return "image/webp" }
        guard let text = String(validating: content, as: UTF8.self) else { return nil }
        let start = text.drop { $0.isWhitespace || $0 == "\u{feff}" }
        let isSVG =
            start.hasPrefix("<svg") || ((start.hasPrefix("<?xml") || start.hasPrefix("<!")) && text.contains("<svg"))
        return isSVG ? "image/svg+xml" : nil
    }
}
