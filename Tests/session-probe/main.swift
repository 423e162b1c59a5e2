import Glibc
import SceneSession

// A program whose main thread runs a poll loop of its own. It does what the lines on its standard input say, and writes
// a line for each block that runs.

let loop = RunLoop()
SceneSession.deliverBlocks { work in loop.perform(work) }

/// For calls that only a scene of one's own can make.
enum Window {
    static let scene = Task { () -> Result<Scene, SceneError> in
        do throws(SceneError) {
            return .success(try await Scene.connect())
        } catch {
            return .failure(error)
        }
    }
}

func tell(_ words: String...) {
    var line = words.joined(separator: " ") + "\n"
    line.withUTF8 { _ = write(STDOUT_FILENO, $0.baseAddress, $0.count) }
}

/// Tells of a login in place of showing it.
@MainActor final class TellingController: LoginScreenController {
    /// The one that shows a login now.
    static var shown: TellingController?

    override func didLoad() { tell("loaded", loginScreen.title, loop.isOwnThread ? "main" : "elsewhere") }

    override func present(_ progress: LoginProgress) { tell("\(progress.state)", progress.loginScreen ?? "") }

    override func didEnd(_ outcome: LoginScreenOutcome) {
        if case .signedIn(let account) = outcome { tell("ended", account.username ?? "?") } else { tell("ended") }
        Self.shown = nil
    }
}

func name(_ result: Result<Account, SceneError>) -> String {
    switch result {
    case .success(let account): account.username ?? "?"
    case .failure(let error): "\(error)"
    }
}

@MainActor func obey(_ line: String) {
    let words = line.split(separator: " ").map(String.init)
    switch words.first {
    case "configure": SceneSession.configure(app: words[1], socket: words[2])
    case "register":
        AuthHelper.registerBlock(forCurrentUserChangeNotifications: { event in
            tell("user", words[1], event.current?.username ?? "nobody")
        })
        AuthHelper.registerBlock(forLogoutNotifications: { event in
            tell("logout", words[1], event.account?.username ?? "?")
        })
        AuthHelper.registerBlock(forLogoutNotifications: { if loop.isOwnThread { tell("main", words[1]) } })
    case "present":
        UserAccountManager.shared.loginScreenConfiguration.title = words[1]
        UserAccountManager.shared.loginScreenCreationBlock = { scene in
            let created = TellingController(scene: scene)
            TellingController.shown = created
            return created
        }
    case "back": TellingController.shown?.handleBackButtonAction()
    case "loginIfRequired": AuthHelper.loginIfRequired { (result: Result) in tell("completed", name(result)) }
    case "loginIfRequired-plain": AuthHelper.loginIfRequired { tell("completed plainly") }
    case "handleLogout": AuthHelper.handleLogout { (result: Result) in tell("handled", name(result)) }
    case "handleLogout-plain": AuthHelper.handleLogout { tell("handled plainly") }
    case "accounts":
        let accounts = UserAccountManager.shared.userAccounts.compactMap(\.username).sorted()
        tell(
            "accounts", UserAccountManager.shared.currentAccount?.username ?? "nobody", accounts.joined(separator: ","))
    case "login":
        Task.detached {
            tell(
                "login",
                name(
                    await result { () throws(SceneError) in
                        try await UserAccountManager.shared.login()
                    }))
        }
    case "logout":
        Task.detached {
            tell(
                "logged out",
                name(
                    await result { () throws(SceneError) in
                        try await UserAccountManager.shared.logout().account
                    }))
        }
    case "response":
        let options = words.count > 2 ? [UserAccountManager.IDPSceneKey: words[2]] : [:]
        Task.detached {
            do throws(SceneError) {
                let manager = UserAccountManager.shared
                tell("response", "\(try await manager.handleIdentityProviderResponse(from: words[1], with: options))")
            } catch {
                tell("response", "\(error)")
            }
        }
    case "switch":
        Task.detached {
            let result = await result { () throws(SceneError) in
                let accounts = try await UserAccountManager.shared.accounts()
                guard let account = accounts.first(where: { $0.username == words[1] }) else { throw .noApp }
                return try await UserAccountManager.shared.switchToUser(account)
            }
            tell("switched", name(result))
        }
    case "token":
        Task.detached {
            do throws(SceneError) {
                _ = try await Window.scene.value.get().accessToken(minimumValidity: Int(words[1]))
                tell("token")
            } catch {
                tell("token", "\(error)")
            }
        }
    case "maps": tell("maps", libraries().joined(separator: " "))
    case "ping": tell("pong", words[1])
    default: exit(64)
    }
}

func result(_ body: () async throws(SceneError) -> Account) async -> Result<Account, SceneError> {
    do throws(SceneError) {
        return .success(try await body())
    } catch {
        return .failure(error)
    }
}

/// What this process has loaded.
func libraries() -> Set<String> {
    var found: Set<String> = []
    guard let maps = fopen("/proc/self/maps", "r") else { return found }
    defer { fclose(maps) }
    var line = [CChar](repeating: 0, count: 4096)
    while fgets(&line, Int32(line.count), maps) != nil {
        let text = String(decoding: line.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
        if let name = text.split(separator: "/").last, name.contains(".so") { found.insert(name.filter { $0 != "\n" }) }
    }
    return found
}

loop.run { line in MainActor.assumeIsolated { obey(line) } }
