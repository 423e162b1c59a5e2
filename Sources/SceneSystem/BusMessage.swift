import CSystemd

/// A message from the bus, for as long as its handler runs. Values are read in their order (sd_bus_message_read_basic(3)).
package struct BusMessage {
    private let raw: OpaquePointer

    init(_ raw: OpaquePointer) {
        self.raw = raw
    }

    /// A unique name, or the bus's own.
    var sender: String { Self.text(sd_bus_message_get_sender(raw)) }
    var path: String { Self.text(sd_bus_message_get_path(raw)) }
    var interface: String { Self.text(sd_bus_message_get_interface(raw)) }
    var member: String { Self.text(sd_bus_message_get_member(raw)) }
    /// The error's name, where it is one.
    var error: String? {
        guard sd_bus_message_is_method_error(raw, nil) > 0, let error = sd_bus_message_get_error(raw) else {
            return nil
        }
        return Self.text(error.pointee.name)
    }

    enum Kind: String {
        case string = "s"
        case path = "o"
    }

    func string(_ kind: Kind = .string) -> String? {
        var text: UnsafePointer<CChar>?
        guard read(kind.rawValue, &text) else { return nil }
        return Self.text(text)
    }

    func unsigned() -> UInt32? {
        var number: UInt32 = 0
        return read("u", &number) ? number : nil
    }

    func bool() -> Bool? {
        var number: Int32 = 0
        return read("b", &number) ? number != 0 : nil
    }

    /// Calls `body` for each structure of the array that is next; it reads the whole of one.
    func forEachStructure(_ contents: String, _ body: () -> Void) {
        forEach("r", contents, of: "(\(contents))", body)
    }

    /// Calls `body` for each property of the dictionary that is next, with its name; it reads the value with `variant`.
    func forEachProperty(_ body: (String) -> Void) {
        forEach("e", "sv", of: "{sv}") { if let name = string() { body(name) } }
    }

    /// The variant that is next, where it holds `contents`; it is skipped else, and where `body` is nil.
    func variant<Value>(_ contents: String, _ body: () -> Value?) -> Value? {
        guard enter("v", contents) else {
            skipVariant()
            return nil
        }
        let value = body()
        return leave() ? value : nil
    }

    func structure<Value>(_ contents: String, _ body: () -> Value?) -> Value? {
        guard enter("r", contents) else { return nil }
        let value = body()
        return leave() ? value : nil
    }

    func skipVariant() {
        _ = sd_bus_message_skip(raw, "v")
    }

    private func forEach(_ type: String, _ contents: String, of elements: String, _ body: () -> Void) {
        guard enter("a", elements) else { return }
        while enter(type, contents) {
            body()
            // What was not read to its end goes no further.
            guard leave() else { return }
        }
        _ = leave()
    }

    private func enter(_ type: String, _ contents: String) -> Bool {
        sd_bus_message_enter_container(raw, Self.code(type), contents) > 0
    }

    private func leave() -> Bool { sd_bus_message_exit_container(raw) >= 0 }

    private func read<Value>(_ type: String, _ value: inout Value) -> Bool {
        withUnsafeMutablePointer(to: &value) { sd_bus_message_read_basic(raw, Self.code(type), $0) > 0 }
    }

    private static func code(_ type: String) -> CChar { type.utf8.first.map { CChar(bitPattern: $0) } ?? 0 }

    private static func text(_ text: UnsafePointer<CChar>?) -> String { text.map { String(cString: $0) } ?? "" }
}
