import Testing

@testable import SceneModel

struct CSSColorTests {
    @Test(arguments: [
        ("white", "rgb(255 255 255)"), ("RebeccaPurple", "rgb(102 51 153)"), ("transparent", "rgb(0 0 0 / 0.0)"),
        ("#0dc3bb", "rgb(13 195 187)"), ("#FFF", "rgb(255 255 255)"), ("#0008", "rgb(0 0 0 / 0.533)"),
        ("#11223380", "rgb(17 34 51 / 0.502)"), ("rgb(1, 2, 3)", "rgb(1 2 3)"), ("rgb(1 2 3)", "rgb(1 2 3)"),
        ("rgb(1 2 3 / 50%)", "rgb(1 2 3 / 0.5)"), ("rgba(300, -5, 0, .5)", "rgb(255 0 0 / 0.5)"),
        ("rgb(100% 0% 50%)", "rgb(255 0 128)"), ("hsl(120deg 100% 25%)", "rgb(0 128 0)"),
        ("hsl(240, 100%, 50%)", "rgb(0 0 255)"), ("hsla(-120, 100%, 50%, 1)", "rgb(0 0 255)"),
    ])
    func coloursAreTakenApart(text: String, css: String) throws {
        #expect(try #require(CSSColor(text)).css == css)
    }

    @Test(arguments: [
        "", "#", "#12", "#12345", "#1234567", "#ggg", "#１２３", "blurple", "red;", "red}", "rgb(1,2)", "rgb(1,2,3",
        "rgb(1,2,3,4,5)", "rgb(1,,3)", "rgb(1 2, 3)", "rgb(1/2/3)", "rgb(1 2 3 / 1 / 1)", "rgb(1e9 2 3)",
        "rgb(nan 0 0)",
        "rgb(0x1 2 3)", "rgb(1deg 2 3)", "hsl(1 2 3)", "hsl(1% 2% 3%)", "url(x)", "var(--x)", "expression(alert(1))",
        "rgb(1 2 3)) } body { x: (", "inherit", "currentcolor", String(repeating: "f", count: 100_000),
        "rgb(1 2 3 / 90deg)", "rgb(- 2 3)", "rgb(1 2 3 / )",
    ])
    func whatIsNoColourIsRefused(text: String) {
        #expect(CSSColor(text) == nil)
    }
}
