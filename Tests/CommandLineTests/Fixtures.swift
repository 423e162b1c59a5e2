import CommandLine

/// A program with verbs, as scenectl is one, and one without, as scened is.
let json = Option("json", help: "Print JSON")
let app = Option("app", value: "NAME", help: "The app")
let reason = Option("reason", value: "TEXT", help: "Why, for the audit")
let all = Option("all", help: "All of them")

let tool = Command(
    "tool", summary: "Do things", options: [json, app],
    verbs: [
        Command(
            "logout", summary: "Sign out", positionals: [Positional("ACCOUNT", isRequired: false, help: "Whom")],
            options: [reason, all], examples: [.init("tool logout ada", "Sign Ada out")]),
        Command("switch", summary: "Switch", positionals: [Positional("ACCOUNT", help: "To whom")]),
        Command("completion", summary: "Complete", verbs: [Command("bash", summary: "For bash")]),
    ])

let user = Option("user", excludes: ["system"], help: "The user's own instance")
let system = Option("system", excludes: ["user"], help: "The machine's instance")
let socket = Option("socket", value: "PATH", completion: .files, help: "The socket")
let config = Option("config", value: "DIR", isRepeatable: true, completion: .directories, help: "Read this too")
let checkConfig = Option("check-config", help: "Check and end")

let daemon = Command("daemon", summary: "Serve", options: [user, system, socket, config, checkConfig])
