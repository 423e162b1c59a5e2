import Glibc
import Testing

@testable import SceneSystem

@Suite struct JournalTests {
    @Test func aLineIsWrittenWhole() throws {
        var pipe: [Int32] = [-1, -1]
        try #require(Glibc.pipe(&pipe) == 0)
        Journal.write(line: "<6>hello", to: pipe[1])
        close(pipe[1])
        var buffer = [UInt8](repeating: 0, count: 100)
        let count = read(pipe[0], &buffer, buffer.count)
        close(pipe[0])
        #expect(String(decoding: buffer.prefix(max(count, 0)), as: UTF8.self) == "<6>hello\n")
    }

    @Test func whereNothingCanBeWrittenNothingHappens() {
        Journal.write(line: "lost", to: -1)
    }

    @Test func theIdentifierIsTheProgramsName() {
        #expect(!Journal.identifier.isEmpty && !Journal.identifier.contains("/"))
    }
}
