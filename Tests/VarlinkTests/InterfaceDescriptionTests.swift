import Testing

@testable import Varlink

struct InterfaceDescriptionTests {
    @Test func readsEachConstruct() throws {
        let interface = try InterfaceDescription(
            parsing: """
                # About the interface.
                interface org.example-one.more # at the end of a line
                type Point (x: int, y: ?float)
                # Before a type.
                type Shape (
                  # Before a field.
                  kind: (circle, # within
                    square),
                  points: []Point,
                  nested: ?(names: [string][]string, deep: [](a_b: object, c1: bool)),
                  any: [string](x, y)
                )
                type Colour (red, green)
                method Draw(shape: Shape, colour: ?Colour)->()
                method Nothing() -> (ok: bool)
                error Failed (reason: string)
                error Empty ()
                """)
        #expect(interface.name == "org.example-one.more")
        #expect(interface.types.map(\.name) == ["Point", "Shape", "Colour"])
        #expect(
            interface.types.map(\.type.text) == [
                "(x: int, y: ?float)",
                "(kind: (circle, square), points: []Point, nested: ?(names: [string][]string, "
                    + "deep: [](a_b: object, c1: bool)), any: [string](x, y))",
                "(red, green)",
            ])
        #expect(interface.methods.map(\.name) == ["Draw", "Nothing"])
        #expect(interface.methods.first?.parameters.map(\.type.text) == ["Shape", "?Colour"])
        #expect(interface.methods.last?.reply.map(\.name) == ["ok"])
        #expect(interface.errors.map(\.name) == ["Failed", "Empty"])
        #expect(interface.errors.map(\.parameters.count) == [1, 0])
    }

    @Test(arguments: [
        ("", "line 1: no `interface`"),
        ("interface nodot", "line 1: no interface name"),
        ("interface org.-a", "line 1: no interface name"),
        ("interface 1.a", "line 1: no interface name"),
        ("interface a.b\ntype lower (a: int)", "line 2: no name of the type"),
        ("interface a.b\ntype A (a: int, b)", "line 2: fields mixed with names"),
        ("interface a.b\ntype A (a: int a: int)", "line 2: no `)`"),
        ("interface a.b\ntype A (a: int,)", "line 2: no field"),
        ("interface a.b\ntype A (a: ??int)", "line 2: twice optional"),
        ("interface a.b\ntype A (_a: int)", "line 2: no field"),
        ("interface a.b\ntype A (a__b: int)", "line 2: no field"),
        ("interface a.b\ntype A (a: int, a: int)", "line 2: a second a"),
        ("interface a.b\ntype A ()\nmethod A() -> ()", "line 3: a second A"),
        ("interface a.b\ntype A (a: B)\n# end\n", "line 2: no type B"),
        ("interface a.b\nmethod A() ()", "line 2: no `->`"),
        ("interface a.b\nmethod A(a, b) -> ()", "line 2: a field has no type"),
        ("interface a.b\nerror A", "line 2: no `(`"),
        ("interface a.b\nthing A ()", "line 2: neither type, method nor error"),
        ("interface a.b\n)", "line 2: neither type, method nor error"),
    ])
    func saysWhatIsWrongAndWhere(_ text: String, _ description: String) throws {
        let error = try #require(throws: InterfaceError.self) { try InterfaceDescription(parsing: text) }
        #expect(error.description == description)
    }

    @Test(arguments: ["(a: ", "[]", "?", "[string]"]) func boundsDepth(_ open: String) {
        let text = "interface a.b\ntype A (a: " + String(repeating: open, count: 100_000)
        #expect(throws: InterfaceError.self) { try InterfaceDescription(parsing: text) }
    }

    @Test(arguments: 0..<4) func survivesMutation(_ seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        for _ in 0..<500 {
            var bytes = Array(VarlinkService.interfaceText.utf8)
            generator.mutate(&bytes)
            _ = try? InterfaceDescription(parsing: String(decoding: bytes, as: UTF8.self))
        }
    }
}

struct VarlinkServiceTests {
    private func fields(_ record: (some WireRecord).Type) -> [String] {
        record.wireFields.map { "\($0.name): \($0.type)" }
    }

    private func fields(_ fields: [InterfaceDescription.Field]?) -> [String]? {
        fields?.map { "\($0.name): \($0.type.text)" }
    }

    @Test func typesAgreeWithTheText() throws {
        let interface = try InterfaceDescription(parsing: VarlinkService.interfaceText)
        #expect(interface.name == VarlinkService.name)
        #expect(
            interface.methods.map { "\(interface.name).\($0.name)" } == [
                VarlinkService.GetInfo.name, VarlinkService.GetInterfaceDescription.name,
            ])
        let (info, description) = (interface.methods.first, interface.methods.last)
        #expect(fields(info?.parameters) == fields(Empty.self))
        #expect(fields(info?.reply) == fields(VarlinkService.GetInfo.Reply.self))
        #expect(fields(description?.parameters) == fields(VarlinkService.GetInterfaceDescription.Parameters.self))
        #expect(fields(description?.reply) == fields(VarlinkService.GetInterfaceDescription.Reply.self))
    }

    @Test func errorsAgreeWithTheText() throws {
        let interface = try InterfaceDescription(parsing: VarlinkService.interfaceText)
        let frames = [
            VarlinkMessage.interfaceNotFound("x"), VarlinkMessage.methodNotFound("x"),
            VarlinkMessage.methodNotImplemented("x"), VarlinkMessage.invalidParameter("x"),
            VarlinkMessage.permissionDenied(), VarlinkMessage.expectedMore(),
        ]
        let written = try frames.map { try JSONElement.parse(Array($0.dropLast())) }
        #expect(written.map { $0["error"]?.string } == interface.errors.map { "\(interface.name).\($0.name)" })
        #expect(
            written.map { $0["parameters"]?.members?.map(\.key) } == interface.errors.map { $0.parameters.map(\.name) })
    }
}
