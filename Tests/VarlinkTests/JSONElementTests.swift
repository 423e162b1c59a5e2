import Testing

@testable import Varlink

struct JSONElementTests {
    @Test func readsEachKind() throws {
        let element = try JSONElement.parse(
            #" {"s": "text", "i": -42, "d": 1.5e3, "t": true, "n": null, "a": [1, {}]} "#)
        #expect(element.isObject)
        #expect(element["s"]?.string == "text")
        #expect(element["i"]?.int == -42)
        #expect(element["i"]?.double == -42)
        #expect(element["d"]?.double == 1500)
        #expect(element["d"]?.int == nil)
        #expect(element["t"]?.bool == true)
        #expect(element["n"]?.isNull == true)
        #expect(element["a"]?.elements?.map(\.text) == ["1", "{}"])
        #expect(element["missing"] == nil)
        #expect(element.members?.map(\.key) == ["s", "i", "d", "t", "n", "a"])
        #expect(element.text.hasPrefix("{") && element.text.hasSuffix("}"))
    }

    @Test(arguments: [
        ("9223372036854775807", Int.max), ("-9223372036854775808", Int.min), ("-0", 0), ("9223372036854775808", nil),
        ("-9223372036854775809", nil), ("1.0", nil), ("1e2", nil), ("123456789012345678901234567890", nil),
    ])
    func readsIntegersThatFit(_ text: String, _ value: Int?) throws {
        #expect(try JSONElement.parse(text).int == value)
    }

    @Test(arguments: [
        ("0.1", 0.1), ("-1e-400", 0.0), ("1e400", nil), ("-1e400", nil),
        ("123456789012345678901234567890", 1.2345678901234568e29),
        ("1e99999999999999999999", nil),
    ])
    func readsDoublesThatAreFinite(_ text: String, _ value: Double?) throws {
        #expect(try JSONElement.parse(text).double == value)
    }

    @Test(arguments: [
        (#""\"\\\/\b\f\n\r\t""#, "\"\\/\u{8}\u{c}\n\r\t"), (#""\u00e9\u20AC""#, "é€"), (#""\ud83d\ude00!""#, "😀!"),
        (#""\u0000""#, "\0"), (#""€ and 😀 as they are""#, "€ and 😀 as they are"), (#""""#, ""),
    ])
    func decodesStrings(_ text: String, _ value: String) throws {
        let element = try JSONElement.parse(text)
        #expect(element.string == value)
        #expect(element.text == text)
    }

    @Test(arguments: [
        #""\ud83d""#, #""\ud83d\u0041""#, #""\ude00\ud83d""#, #""\ud83dx""#, #""\x41""#, #""\u12g4""#, "\"\u{1f}\"",
        "\"", "\"\\",
        #""\ud83d\"#, #""\u00"#,
    ])
    func refusesStrings(_ text: String) {
        #expect(throws: JSONError.self) { try JSONElement.parse(text) }
    }

    /// Overlong, surrogate, beyond the last scalar, cut short, stray.
    @Test(arguments: [
        [0xc0, 0x80], [0xe0, 0x80, 0x80], [0xed, 0xa0, 0x80], [0xf0, 0x80, 0x80, 0x80], [0xf4, 0x90, 0x80, 0x80],
        [0xe2, 0x82], [0xf0, 0x9f, 0x98], [0x80], [0xff], [0xc3],
    ])
    func refusesWhatIsNoUTF8(_ bytes: [UInt8]) {
        #expect(throws: JSONError.self) { try JSONElement.parse([0x22] + bytes + [0x22]) }
        #expect(throws: JSONError.self) { try JSONElement.parse([0x22] + bytes) }
    }

    @Test(arguments: [
        "", " ", "\u{feff}{}", "{}{}", "{} x", "[1,]", "{\"a\":1,}", "{a:1}", "01", "+1", "nul", "[1\u{a0}]", "[}",
        "{]",
    ])
    func refusesWhatIsNoJSON(_ text: String) {
        #expect(throws: JSONError.self) { try JSONElement.parse(text) }
    }

    @Test func refusesNULWhereverItStands() {
        for place in 0...2 {
            var bytes = Array("{}".utf8)
            bytes.insert(0, at: place)
            #expect(throws: JSONError.self) { try JSONElement.parse(bytes) }
        }
    }

    @Test func errorsHoldNothingOfTheText() throws {
        let error = try #require(throws: JSONError.self) { try JSONElement.parse(#"{"token": "geheim" x}"#) }
        #expect(error.offset == 19)
        #expect(error.description == "neither a comma nor the end at byte 19")
    }
}

struct JSONNamesTests {
    @Test(arguments: [
        #"{"a": 1, "a": 2}"#, #"{"a": 1, "\u0061": 2}"#, #"{"\u00e9": 1, "b": 2, "é": 3}"#, #"[{"x": {"": 1, "": 2}}]"#,
    ])
    func refusesANameTwice(_ text: String) {
        #expect(throws: JSONError.self) { try JSONElement.parse(text) }
    }

    /// Swift calls these two equal; JSON does not.
    @Test func tellsCanonicalEquivalentsApart() throws {
        let element = try JSONElement.parse("{\"\u{e9}\": 1, \"e\u{301}\": 2}")
        #expect(element["\u{e9}"]?.int == 1)
        #expect(element["e\u{301}"]?.int == 2)
    }

    @Test func findsNamesWithEscapes() throws {
        let element = try JSONElement.parse(#"{"a\nb": 1, "\u0063": 2}"#)
        #expect(element["a\nb"]?.int == 1)
        #expect(element["c"]?.int == 2)
        #expect(element.members?.map(\.key) == ["a\nb", "c"])
    }

    /// Would take minutes if each name were compared with each.
    @Test(.timeLimit(.minutes(1)), arguments: [16, 17, 4096, 100_000])
    func looksAmongMany(_ count: Int) throws {
        var limits = JSONLimits()
        limits.members = count
        limits.bytes = 1 << 22
        let members = (0..<count).map { "\"member\($0)\":\($0)" }
        let object = try JSONElement.parse("{\(members.joined(separator: ","))}", limits: limits)
        #expect(object["member\(count - 1)"]?.int == count - 1)
        let twice = members.dropLast() + [#""\u006dember3":0"#]
        #expect(throws: JSONError.self) { try JSONElement.parse("{\(twice.joined(separator: ","))}", limits: limits) }
    }
}

struct JSONLimitsTests {
    @Test(arguments: [("[", "]"), (#"{"a":"#, "}")])
    func boundsDepth(_ open: String, _ close: String) throws {
        func nested(_ depth: Int) -> String {
            String(repeating: open, count: depth) + "0" + String(repeating: close, count: depth)
        }
        visit(try JSONElement.parse(nested(64)))
        #expect(throws: JSONError.self) { try JSONElement.parse(nested(65)) }
        #expect(throws: JSONError.self) { try JSONElement.parse(String(repeating: open, count: 100_000)) }
    }

    @Test func boundsMembersOfOneObject() throws {
        var limits = JSONLimits()
        limits.members = 2
        _ = try JSONElement.parse(#"[{"a":1,"b":2},{"a":1,"b":2}]"#, limits: limits)
        #expect(throws: JSONError.self) { try JSONElement.parse(#"{"a":1,"b":2,"c":3}"#, limits: limits) }
    }

    @Test func boundsBytesAndDigits() throws {
        var limits = JSONLimits()
        limits.bytes = 4
        _ = try JSONElement.parse("1234", limits: limits)
        #expect(throws: JSONError.self) { try JSONElement.parse("12345", limits: limits) }
        _ = try JSONElement.parse(String(repeating: "1", count: 1024))
        #expect(throws: JSONError.self) { try JSONElement.parse(String(repeating: "1", count: 1025)) }
    }
}
