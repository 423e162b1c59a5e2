import CommandLine
import Glibc
import LinuxIO
import SceneModel
import SceneStore
import SceneSystem
import SessionCore

/// The program `scened`, from its words to its exit code.
package enum Service {
    /// EX_USAGE, EX_UNAVAILABLE and EX_CONFIG of sysexits.h.
    private static let usage: Int32 = 64
    private static let unavailable: Int32 = 69
    private static let badConfiguration: Int32 = 78

    package static func run(_ words: [String]) -> Int32 {
        StandardDescriptors.openClosed()
        let environment = Self.environment()
        do throws(UsageError) {
            switch try DaemonOptions.command.parse(words) {
            case .version: print("scened \(DaemonOptions.version)")
            case .help(let path):
                print(
                    DaemonOptions.command.helpText(for: path, terminal: Terminal(of: 1, environment: environment)),
                    terminator: "")
            case .run(let arguments):
                let options = try DaemonOptions(arguments, environment: environment)
                guard !options.checksConfiguration else { return check(options) }
                defer {
                    Outbox.journal.flush(seconds: 2)
                    Outbox.serviceManager.flush(seconds: 2)
                }
                return serve(options)
            }
            return 0
        } catch {
            complain("\(error)")
            return usage
        }
    }

    private static func check(_ options: DaemonOptions) -> Int32 {
        let configuration = Configuration.read(
            from: options.configurationDirectories, credentials: options.credentials,
            dataDirectories: options.dataDirectories)
        for problem in configuration.problems { print(problem) }
        if configuration.problems.isEmpty {
            let apps = configuration.apps.keys.sorted().joined(separator: ", ")
            print("The configuration is good. Apps: \(apps.isEmpty ? "none" : apps).")
        }
        return configuration.problems.isEmpty ? 0 : badConfiguration
    }

    private static func serve(_ options: DaemonOptions) -> Int32 {
        umask(0o077)
        Secrecy.refuseDumps()
        signal(SIGPIPE, SIG_IGN)
        let inheritance = Inheritance(PassedDescriptors.take())
        do {
            let loop = try EventLoop()
            // Before the store's thread exists: its signals are the loop's.
            let signals = SignalRelay()
            try loop.onSignals([SIGTERM, SIGINT, SIGHUP]) { signals.handle($0) }
            let configuration = Configuration.read(
                from: options.configurationDirectories, credentials: options.credentials,
                dataDirectories: options.dataDirectories)
            for problem in configuration.problems { Journal.write(problem.entry) }
            let listeners = try listeners(inheritance.sessions, options, loop)
            let daemon = try Daemon(
                loop: loop, options: options, configuration: configuration, listeners: listeners,
                inheritance: inheritance)
            run(daemon, signals)
            return 0
        } catch {
            if getenv("NOTIFY_SOCKET") == nil {
                complain("\(error)")
            } else {
                Journal.write(JournalEntry(priority: .critical, message: "scened cannot start: \(error)"))
            }
            ServiceManager.status("cannot start: \(error)")
            return unavailable
        }
    }

    private static func run(_ daemon: Daemon, _ signals: SignalRelay) {
        daemon.assumeIsolated { daemon in
            daemon.start()
            daemon.heed(signals)
            daemon.feedWatchdog()
            Journal.write(
                JournalEntry(
                    message: "scened \(DaemonOptions.version) has started: \(daemon.status)",
                    messageID: MessageID.started))
            ServiceManager.ready(status: daemon.status)
        }
        daemon.loop.run()
        daemon.assumeIsolated { daemon in
            Journal.write(JournalEntry(message: "scened stops.", messageID: MessageID.stopping))
            daemon.stop()
        }
    }

    /// The sockets that the service manager passed under our name; else one of our own.
    private static func listeners(
        _ passed: [Int32], _ options: DaemonOptions, _ loop: EventLoop
    ) throws -> [SocketListener] {
        var found: [SocketListener] = []
        for descriptor in passed {
            found.append(try SocketListener(loop: loop, adopting: OwnedDescriptor(descriptor)))
        }
        if !found.isEmpty { return found }
        let directory = options.socket.lastIndex(of: "/").map { String(options.socket[..<$0]) } ?? "."
        if !directory.isEmpty { mkdir(directory, options.isSystem ? 0o755 : 0o700) }
        return [try SocketListener(loop: loop, path: options.socket, mode: options.isSystem ? 0o666 : 0o600)]
    }

    private static func environment() -> [String: String] {
        var variables: [String: String] = [:]
        for name in [
            "HOME", "XDG_RUNTIME_DIR", "XDG_STATE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_DATA_DIRS",
            "STATE_DIRECTORY", "CREDENTIALS_DIRECTORY", "NO_COLOR", "TERM", "COLUMNS",
        ] {
            if let value = getenv(name) { variables[name] = String(cString: value) }
        }
        return variables
    }

    private static func complain(_ text: String) {
        var standardError = StandardError()
        print("scened: \(text)", to: &standardError)
    }
}

/// Takes signals on the loop's thread, and only there.
final class SignalRelay: @unchecked Sendable {
    var handle: (Int32) -> Void = { _ in }
}

private struct StandardError: TextOutputStream {
    func write(_ text: String) {
        var text = text
        text.withUTF8 { _ = Glibc.write(STDERR_FILENO, $0.baseAddress, $0.count) }
    }
}

extension Daemon {
    /// The service manager restarts a daemon whose loop no longer turns (sd_watchdog_enabled(3)).
    func feedWatchdog() {
        guard let interval = ServiceManager.watchdogInterval else { return }
        ServiceManager.watchdog()
        loop.schedule(at: EventLoop.now.boot.advanced(byNanoseconds: Int64(interval / 2))) { self.feedWatchdog() }
    }

    func heed(_ signals: SignalRelay) {
        signals.handle = { signal in
            if signal == SIGHUP { self.reloadOnSignal() } else { self.stopWhenQuiet() }
        }
    }

    func reloadOnSignal() {
        ServiceManager.reloading()
        reload()
        ServiceManager.ready(status: status)
    }
}
