import Testing

@testable import SceneDaemon

/// How an app is started that the user's desktop knows.
@Suite struct DesktopEntriesTests {
    private let plain = "[Desktop Entry]\nType=Application\nExec=notes\n"

    private func words(_ text: String, name: String = "com.example.my-notes.desktop") throws -> [String] {
        let directory = try TemporaryDirectory()
        let path = try directory.write("applications/\(name)", text)
        #expect(DesktopEntries.path(of: name, in: ["/nowhere", directory.path]) == path)
        return withExtendedLifetime(directory) { DesktopEntries.launch(path) }
    }

    @Test func theServiceManagerStartsIt() throws {
        let words = try words(plain)
        #expect(words.prefix(2) == ["systemd-run", "--user"] && words.dropLast().suffix(2) == ["gio", "launch"])
        #expect(words.last?.hasSuffix("/applications/com.example.my-notes.desktop") == true)
    }

    @Test func orTheBus() throws {
        #expect(
            try words(plain + "DBusActivatable = true\n") == [
                "busctl", "--user", "--timeout=30", "call", "com.example.my-notes", "/com/example/my_notes",
                "org.freedesktop.Application", "Activate", "a{sv}", "0",
            ])
    }

    @Test(arguments: [
        ("DBusActivatable=false\n", "com.example.notes.desktop"),
        ("# DBusActivatable=true\n", "com.example.notes.desktop"),
        ("[Desktop Action x]\nDBusActivatable=true\n", "com.example.notes.desktop"),
        ("DBusActivatable=true\n", "notes.desktop"), ("DBusActivatable=true\n", "com.7zip.desktop"),
        ("DBusActivatable=true\n", "com..notes.desktop"), ("DBusActivatable=true\n", "com.exa\\mple.desktop"),
    ])
    func whatTheBusCannotStart(more: String, name: String) throws {
        #expect(try words(plain + more, name: name).first == "systemd-run")
    }

    @Test func whatIsNotThere() {
        #expect(DesktopEntries.path(of: "com.example.none.desktop", in: ["/nowhere", ""]) == nil)
    }
}
