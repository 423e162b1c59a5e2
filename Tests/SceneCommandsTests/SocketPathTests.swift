import Testing

@testable import SceneCommands

@Suite struct SocketPathTests {
    private static let user = "/run/user/7/scened/session"
    private static let system = "/run/scened/session"

    @Test(
        arguments: [
            ("/o", ["SCENED_SOCKET": "/e", "XDG_RUNTIME_DIR": "/run/user/7"], [user, system], "/o"),
            (nil, ["SCENED_SOCKET": "/e", "XDG_RUNTIME_DIR": "/run/user/7"], [user, system], "/e"),
            (nil, ["SCENED_SOCKET": "", "XDG_RUNTIME_DIR": "/run/user/7"], [user, system], user),
            ("", ["XDG_RUNTIME_DIR": "/run/user/7"], [system], system),
            (nil, ["XDG_RUNTIME_DIR": "/run/user/7"], [], system),
            (nil, ["XDG_RUNTIME_DIR": ""], [], system),
            (nil, [:], [user, system], system),
        ] as [(String?, [String: String], [String], String)])
    func isLookedForInOrder(
        _ option: String?, _ environment: [String: String], _ existing: [String], _ path: String
    ) {
        #expect(SocketPath(option: option, environment: environment) { existing.contains($0) }.path == path)
    }

    @Test(
        arguments: [
            (nil, ["XDG_RUNTIME_DIR": "/run/user/7"], [], "systemctl --user start scened.socket"),
            (nil, ["XDG_RUNTIME_DIR": "/run/user/7"], [system], "sudo systemctl start scened.socket"),
            (user, ["XDG_RUNTIME_DIR": "/run/user/7"], [], "systemctl --user start scened.socket"),
            (nil, [:], [], "sudo systemctl start scened.socket"),
            ("/x/s", [:], [], "scened --socket /x/s"),
        ] as [(String?, [String: String], [String], String)])
    func saysWhatStartsTheDaemonThere(
        _ option: String?, _ environment: [String: String], _ existing: [String], _ line: String
    ) {
        #expect(SocketPath(option: option, environment: environment) { existing.contains($0) }.startLine == line)
    }
}
