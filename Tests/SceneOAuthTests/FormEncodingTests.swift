import SceneModel
import Testing

@testable import SceneOAuth

@Suite struct FormEncodingTests {
    @Test func encodes() {
        var form = Form()
        form.add("scope", "openid profile")
        form.add("a&b", "x=y+z/é~")
        form.add("secret", Secret("p%s"))
        #expect(form.text == "scope=openid%20profile&a%26b=x%3Dy%2Bz%2F%C3%A9~&secret=p%25s")
    }

    @Test func takingEmptiesTheForm() {
        var form = Form()
        form.add("a", "b")
        #expect(form.take() == Secret("a=b"))
        #expect(form.bytes.isEmpty)
    }

    @Test func decodes() throws {
        let pairs = try #require(Form.decode("a=1%202+3&b&=c&&d=x=y&e=%C3%a9"))
        #expect(pairs.map(\.name) == ["a", "b", "", "d", "e"])
        #expect(pairs.map(\.value) == ["1 2 3", "", "c", "x=y", "é"])
    }

    @Test(arguments: ["a=%", "a=%4", "a=%zz", "a=%ff", "%c3=1", "a=%e2%82"])
    func refusesBrokenEscapes(text: String) {
        #expect(Form.decode(text) == nil)
    }
}
