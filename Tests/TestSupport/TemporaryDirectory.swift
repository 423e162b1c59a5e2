import Foundation
import Synchronization

/// Directories that go when the tests end. Their names are short, as a socket's address has to be.
package enum TemporaryDirectory {
    private static let made: Mutex<[String]> = {
        atexit { made.withLock { for path in $0 { try? FileManager.default.removeItem(atPath: path) } } }
        return Mutex([])
    }()

    package static func make(_ name: String) throws -> String {
        var template = Array("/tmp/\(name)-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { throw TestFailure("mkdtemp failed") }
        let path = template.withUnsafeBufferPointer { $0.baseAddress.map { String(cString: $0) } ?? "" }
        made.withLock { $0.append(path) }
        return path
    }
}
