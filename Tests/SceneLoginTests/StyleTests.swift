import SceneModel
import Testing

@testable import SceneLogin

struct StyleTests {
    @Test(arguments: [
        ("Helvetica 16", #""Helvetica", system-ui, sans-serif"#, 16.0),
        ("Open  Sans, SERIF 20px", #""Open Sans", serif, system-ui, sans-serif"#, 20),
        ("Noto Sans CJK JP 12.5", #""Noto Sans CJK JP", system-ui, sans-serif"#, 12.5),
        ("monospace", "monospace, system-ui, sans-serif", nil),
    ])
    func fontsAreTakenApart(text: String, family: String, size: Double?) throws {
        let font = try #require(CSSFont(text))
        #expect(font.family == family)
        #expect(font.size == size)
    }

    @Test(arguments: [
        "", "16", "Helvetica 7", "Helvetica 49", "Helvetica 1e1", "Helvetica;", "\"Helvetica\" 16", "a\\62 16",
        "url(x) 16",
        "Helvetica, 16", ", serif 16", "Helvetica 16; color: red", "Helvetica\n 16", "</style> 16", "@import 16",
        String(repeating: "a", count: 1000),
    ])
    func whatIsNoFontIsRefused(text: String) {
        #expect(CSSFont(text) == nil)
    }

    @Test(arguments: [("#0dc3bb", "rgb(0 0 0)"), ("navy", "rgb(255 255 255)"), ("white", "rgb(0 0 0)")])
    func textOnABarWithoutAColourOfItsOwnCanBeRead(bar: String, text: String) throws {
        var appearance = Appearance()
        appearance.barColor = CSSColor(bar)
        #expect(appearance.variables.contains("--bar-text: \(text);"))
        #expect(try #require(appearance.barColor).contrast(with: try #require(appearance.barColor?.readable)) >= 4.5)
    }

    @Test func picturesAreKnownByWhatTheyHold() {
        func type(_ text: String) -> String? { Asset(Array(text.utf8), .image)?.contentType }
        #expect(Asset([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a], .image)?.contentType == "image/png")
        #expect(type("<?xml version=\"1.0\"?><svg/>") == "image/svg+xml")
        #expect(type("GIF89a") == "image/gif")
        #expect(type("RIFFxxxxWEBP") == "image/webp")
        #expect(type("<html><svg></svg></html>") == nil)
        #expect(type("<!DOCTYPE html><p>") == nil)
        #expect(type("") == nil)
        #expect(Asset([0xff], .styleSheet) == nil)
        #expect(Asset([UInt8](repeating: 32, count: Asset.limit + 1), .styleSheet) == nil)
    }
}
