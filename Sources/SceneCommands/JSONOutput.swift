import CommandLine
import Varlink

extension JSONWriter {
    /// The same document without spaces and line ends; members stay in their order.
    mutating func compact(_ element: JSONElement) {
        if let members = element.members {
            beginObject()
            for (name, value) in members {
                key(name)
                compact(value)
            }
            endObject()
        } else if let elements = element.elements {
            beginArray()
            for value in elements { compact(value) }
            endArray()
        } else if let text = element.string {
            string(text)
        } else {
            // A number keeps the digits that it came with.
            raw(element.text.utf8)
        }
    }
}

extension Output {
    /// One document, one line. What would act on a terminal is written as JSON escapes.
    func json(_ write: (inout JSONWriter) -> Void) throws(CommandFailure) {
        var writer = JSONWriter()
        write(&writer)
        try line(Inert.json(String(decoding: writer.bytes, as: UTF8.self)))
    }

    func json(_ element: JSONElement) throws(CommandFailure) {
        try json { $0.compact(element) }
    }
}
