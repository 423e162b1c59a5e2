import Testing

@testable import Varlink

struct JSONWriterTests {
    @Test func putsCommasWhereTheyBelong() {
        var writer = JSONWriter()
        writer.beginObject()
        writer.key("a")
        writer.beginArray()
        writer.int(1)
        writer.beginObject()
        writer.endObject()
        writer.raw("[2]".utf8)
        writer.endArray()
        writer.key("b")
        writer.null()
        writer.key("c")
        writer.bool(false)
        writer.endObject()
        #expect(String(decoding: writer.bytes, as: UTF8.self) == #"{"a":[1,{},[2]],"b":null,"c":false}"#)
    }

    @Test(arguments: [
        ("", #""""#), ("plain", #""plain""#), ("\"\\/", #""\"\\/""#), ("\u{8}\t\n\u{c}\r", #""\b\t\n\f\r""#),
        ("\0\u{1f}\u{7f}", "\"\\u0000\\u001f\u{7f}\""),
        ("long enough for eight at a time\n€", #""long enough for eight at a time\n€""#),
    ])
    func escapes(_ value: String, _ json: String) throws {
        #expect(value.json == json)
        #expect(try JSONElement.parse(json).string == value)
    }

    @Test func eachCharacterComesBackFromEachPlace() throws {
        for scalar in (0..<0x180).compactMap(Unicode.Scalar.init) + ["\u{d7ff}", "\u{e000}", "\u{10ffff}"] {
            for before in 0..<9 {
                let value = String(repeating: "x", count: before) + String(scalar) + "rest of the text"
                #expect(try JSONElement.parse(value.json).string == value)
            }
        }
    }

    @Test(arguments: [
        (0.0, "0.0"), (-0.5, "-0.5"), (1e300, "1e+300"), (.leastNonzeroMagnitude, "5e-324"), (.infinity, "null"),
        (.nan, "null"),
    ])
    func writesDoubles(_ value: Double, _ json: String) throws {
        #expect(value.json == json)
        #expect(try JSONElement.parse(json).double == (value.isFinite ? value : nil))
    }

    @Test(arguments: [Int.min, -1, 0, Int.max]) func writesIntegers(_ value: Int) throws {
        #expect(try JSONElement.parse(value.json).int == value)
    }

    @Test(arguments: [(Array("a\"€".utf8), "a\"€"), ([0x61, 0xff, 0x62], "a\u{fffd}b"), ([], "")])
    func repairsBytesOfUnknownOrigin(_ bytes: [UInt8], _ value: String) throws {
        var writer = JSONWriter()
        bytes.withUnsafeBytes { writer.utf8($0) }
        #expect(try JSONElement.parse(writer.bytes).string == value)
    }
}
