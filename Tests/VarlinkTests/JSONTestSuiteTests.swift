import FoundationEssentials
import Testing

@testable import Varlink

/// nst/JSONTestSuite: `y_` has to be read, `n_` to be refused, `i_` may be either.
struct JSONTestSuiteTests {
    static let directory = URL(filePath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent()
        .appending(path: "Data/JSONTestSuite/test_parsing").path

    static func files(_ prefix: String) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: directory).filter { $0.hasPrefix(prefix) }.sorted()
    }

    private func parse(_ file: String) throws -> JSONElement {
        let content = FileManager.default.contents(atPath: "\(Self.directory)/\(file)")
        return try JSONElement.parse(Array(try #require(content)))
    }

    @Test func isThere() throws {
        #expect(try Self.files("y_").count == 95)
        #expect(try Self.files("n_").count == 188)
        #expect(try Self.files("i_").count == 35)
    }

    /// RFC 8259 lets a parser do with these as it likes; a call that says one thing twice is refused.
    static let duplicates = ["y_object_duplicated_key.json", "y_object_duplicated_key_and_value.json"]

    @Test(arguments: duplicates) func refusesANameTwice(_ file: String) throws {
        let error = try #require(throws: JSONError.self) { try parse(file) }
        #expect(error.reason == "a name twice in one object")
    }

    @Test(arguments: try files("y_").filter { !duplicates.contains($0) }) func accepts(_ file: String) throws {
        let element = try parse(file)
        #expect(try JSONElement.parse(element.text).text == element.text)
    }

    @Test(arguments: try files("n_")) func refuses(_ file: String) {
        #expect(throws: JSONError.self) { try parse(file) }
    }

    @Test(arguments: try files("i_")) func survives(_ file: String) {
        if let element = try? parse(file) { visit(element) }
    }
}

/// Reads all that the document holds, in each way there is.
func visit(_ element: JSONElement) {
    _ = (element.bool, element.int, element.double, element.string, element.text)
    for child in element.elements ?? [] { visit(child) }
    for (key, value) in element.members ?? [] {
        #expect(element[key]?.text == value.text)
        visit(value)
    }
}
