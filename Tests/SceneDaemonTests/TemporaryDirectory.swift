import Glibc

/// Gone, with all that is in it, when the test is.
final class TemporaryDirectory {
    let path: String

    init() throws {
        var template = Array("/tmp/scened-tests-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { throw Fault(code: errno) }
        path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    struct Fault: Error {
        var code: Int32
    }

    deinit {
        // Files before the directories that they are in.
        for name in made.reversed() { remove(name) }
        rmdir(path)
    }

    private var made: [String] = []

    /// Writes a file, and the directories on the way to it.
    @discardableResult
    func write(_ name: String, _ text: String) throws -> String {
        try write(name, Array(text.utf8))
    }

    @discardableResult
    func write(_ name: String, _ bytes: [UInt8]) throws -> String {
        var directory = path
        for part in name.split(separator: "/").dropLast() {
            directory += "/" + part
            if mkdir(directory, 0o700) == 0 { made.append(directory) }
        }
        let file = path + "/" + name
        guard let stream = fopen(file, "w") else { throw Fault(code: errno) }
        defer { fclose(stream) }
        made.append(file)
        guard fwrite(bytes, 1, bytes.count, stream) == bytes.count else { throw Fault(code: errno) }
        return file
    }
}
