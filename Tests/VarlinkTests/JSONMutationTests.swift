import Testing

@testable import Varlink

/// Texts that nearly are JSON. A trap would end the test run.
struct JSONMutationTests {
    static let seeds = [
        #"{"method":"org.scened.Session.Login","parameters":{"app":"notes","options":{"force":true}},"more":true}"#,
        #"[1, -0, 2.5e-3, "\ud83d\ude00\u00e9\n", "€ 😀", {"a": {"b": [[], {}, null, true, false]}, "\u0061b": 1e999}]"#,
        "{\"a\":0,\"b\":1,\"c\":2,\"d\":3,\"e\":4,\"f\":5,\"g\":6,\"h\":7,\"i\":8,\"j\":9,\"k\":0,\"l\":1,\"m\":2,\"n\":3,"
            + "\"o\":4,\"p\":5,\"q\":6,\"r\":7}",
    ]

    @Test(.timeLimit(.minutes(1)), arguments: 0..<8) func survives(_ seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        var accepted = 0
        for _ in 0..<2_000 {
            var bytes = Array((Self.seeds.randomElement(using: &generator) ?? "").utf8)
            generator.mutate(&bytes)
            guard let element = try? JSONElement.parse(bytes) else { continue }
            accepted += 1
            visit(element)
            #expect(try rewritten(element) == rewritten(JSONElement.parse(rewritten(element))))
        }
        #expect(accepted > 100)
    }

    /// What our writer makes of what our reader has read.
    private func rewritten(_ element: JSONElement) -> [UInt8] {
        var writer = JSONWriter()
        write(element, &writer)
        return writer.bytes
    }

    private func write(_ element: JSONElement, _ writer: inout JSONWriter) {
        if let elements = element.elements {
            writer.beginArray()
            for child in elements { write(child, &writer) }
            writer.endArray()
        } else if let members = element.members {
            writer.beginObject()
            for (key, value) in members {
                writer.key(key)
                write(value, &writer)
            }
            writer.endObject()
        } else if let string = element.string {
            writer.string(string)
        } else {
            writer.raw(element.text.utf8)
        }
    }
}
