import CommandLine
import Glibc
import LinuxIO
import SceneSession
import TerminalScreen

/// The program, from its words to its exit code.
package enum SceneWindow {
    @MainActor package static func run(_ words: [String]) async -> Int32 {
        StandardDescriptors.openClosed()
        let environment = environment()
        do {
            switch try WindowCommand.command.parse(words) {
            case .version: TerminalMode.write("scene-window \(Product.version)\n")
            case .help(let path):
                let terminal = Terminal(of: STDOUT_FILENO, environment: environment)
                TerminalMode.write(WindowCommand.command.helpText(for: path, terminal: terminal))
            case .run(let arguments): return await open(arguments, environment)
            }
            return ExitCode.success.rawValue
        } catch {
            complain("\(error)")
            return ExitCode.usage.rawValue
        }
    }

    @MainActor private static func open(_ arguments: Arguments, _ environment: [String: String]) async -> Int32 {
        guard
            let app = [arguments[WindowCommand.app], environment["SCENED_APP"]].compactMap({ $0 }).first(where: {
                !$0.isEmpty
            })
        else {
            complain("No app is named. Try: scene-window --app NAME")
            return ExitCode.usage.rawValue
        }
        SceneSession.configure(app: app, socket: arguments[WindowCommand.socket])
        let title = arguments[WindowCommand.title] ?? "scene-window"
        let (inputs, continuation) = AsyncStream.makeStream(of: Input.self)
        let isTerminal = FullScreen.isPossible(on: STDOUT_FILENO, environment: environment)
        TerminalInput.start(keyboard: isTerminal) { continuation.yield(.terminal($0)) }
        let display: any Display = (isTerminal ? DrawnWindow(environment: environment) : nil) ?? PlainLines()
        let state = WindowState(app: app, title: title)
        display.show(state)
        let id = arguments[WindowCommand.id]
        Task { continuation.yield(.scene(await connect(id: id, title: title))) }
        let code: Int32
        switch await scene(inputs, display) {
        case .scene(let scene):
            code = await Window(scene, state: state, display: display, browsing: Browsing(environment: environment))
                .run(inputs)
            display.close()
        case .exit(let status):
            display.close()
            code = status
        case .refused(let error):
            display.close()
            complain(FailureText.text(error))
            code = ExitCode(error).rawValue
        }
        return code
    }

    private static func connect(id: String?, title: String) async -> Result<Scene, SceneError> {
        do throws(SceneError) {
            return .success(try await Scene.connect(id: id, title: title))
        } catch {
            return .failure(error)
        }
    }

    private enum Connecting {
        case scene(Scene)
        case refused(SceneError)
        case exit(Int32)
    }

    /// Waits for scened with the user, who may give up.
    @MainActor private static func scene(_ inputs: AsyncStream<Input>, _ display: any Display) async -> Connecting {
        for await input in inputs {
            switch input {
            case .scene(.success(let scene)): return .scene(scene)
            case .scene(.failure(let error)): return .refused(error)
            case .terminal(.key(.character("q"))): return .exit(ExitCode.success.rawValue)
            case .terminal(.key): break
            case .terminal(.signal(let signal)): if let code = display.received(signal) { return .exit(code) }
            case .terminal(.keyboardGone): return .exit(128 + SIGHUP)
            }
        }
        return .exit(ExitCode.failure.rawValue)
    }

    private static func complain(_ text: String) {
        let line = "scene-window: \(text)\n"
        _ = line.withCString { Glibc.write(STDERR_FILENO, $0, strlen($0)) }
    }

    private static func environment() -> [String: String] {
        var environment: [String: String] = [:]
        for name in ["SCENED_APP", "DISPLAY", "WAYLAND_DISPLAY", "COLORTERM", "NO_COLOR", "TERM"] {
            if let value = getenv(name) { environment[name] = String(cString: value) }
        }
        return environment
    }
}
