/// The user's browser, by xdg-open(1).
package struct Browser: Sendable {
    private var program: SpawnedProgram

    /// Only where there is a display to show it on.
    package static func isReachable(_ environment: [String: String]) -> Bool {
        ["DISPLAY", "WAYLAND_DISPLAY"].contains { !(environment[$0] ?? "").isEmpty }
    }

    /// Nil where the address is no web address, or xdg-open is not there.
    ///
    /// All users of the machine can read the address in the arguments; scened serves it to its own user only.
    package init?(opening address: String) {
        guard address.hasPrefix("http://") || address.hasPrefix("https://"),
            let started = SpawnedProgram("xdg-open", [address])
        else { return nil }
        program = started
    }

    /// Hands a message of scened's to the app of its private scheme, as `com.example.notes:/idp/authrequest?…`.
    package init?(handing message: String) {
        let scheme = message.prefix { $0 != ":" }
        guard scheme.first?.isLetter == true, scheme.contains("."), message.hasPrefix(scheme + ":/idp/"),
            message.utf8.allSatisfy({ (0x21...0x7e).contains($0) }),
            let started = SpawnedProgram("xdg-open", [message])
        else { return nil }
        program = started
    }

    /// Whether xdg-open has ended and says that it could open nothing.
    package mutating func hasFailed() -> Bool { program.hasFailed() }

    /// The same, for as long as xdg-open takes, but not longer than `patience`: some stay for as long as the browser does.
    package mutating func fails(within patience: Duration) -> Bool {
        program.fails(within: patience)
    }

    /// Calls `ended` on the loop's thread when xdg-open has ended, and says whether it could open nothing.
    package func onEnd(on loop: EventLoop, _ ended: @escaping (_ hasFailed: Bool) -> Void) {
        program.onEnd(on: loop, ended)
    }
}
