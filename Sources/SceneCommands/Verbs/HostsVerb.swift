import CommandLine
import SceneModel
import SceneProtocol

/// The login hosts of an app.
enum HostsVerb: Verb {
    private static let label = Option("label", value: "TEXT", help: "What to call it; by default its address")
    private static let url = Positional("URL", help: "Its address, with or without https://")

    static let command = Command(
        "hosts", summary: "List, add, remove and select the login hosts of an app",
        discussion: [
            "Logins go to the selected one. The administrator's and the app's stay; those that you add are yours alone. "
                + "Each account keeps using the host that it signed in at."
        ],
        examples: [.init("scenectl hosts list --app notes", "All of them; the selected one has a star")],
        verbs: [
            Command(
                "list", summary: "List the login hosts; the selected one is marked with a star",
                examples: [
                    .init("scenectl hosts list --app notes", "The administrator's first, then the app's and yours")
                ]),
            Command(
                "add", summary: "Add a login host of your own", positionals: [url], options: [label],
                examples: [
                    .init("scenectl hosts add login.example.org --label 'My company'", "It can be selected from now on")
                ]),
            Command(
                "remove", summary: "Remove a login host that you have added", positionals: [url],
                examples: [
                    .init("scenectl hosts remove login.example.org", "If it was selected, the first one is from now on")
                ]),
            Command(
                "select", summary: "Have logins go to a login host, in all windows", positionals: [url],
                examples: [.init("scenectl hosts select test.example.com && scenectl login", "Sign in there")]),
        ])

    static func run(_ context: Context) throws(CommandFailure) {
        let connection = try context.connect()
        let app = try context.app(on: connection)
        let address = context.arguments.positionals.first ?? ""
        let shown = Inert.text(address)
        switch context.arguments.path.last {
        case "add":
            let answer = try connection.call(
                AddLoginHost.self, .init(app: app, url: address, label: context.arguments[label]))
            if context.wantsJSON { return try context.output.json(answer.json) }
            try context.output.line("\(Inert.text(answer.reply.loginHost.url)) is a login host of the app.")
        case "remove":
            let answer = try connection.call(RemoveLoginHost.self, .init(app: app, url: address))
            if context.wantsJSON { return try context.output.json(answer.json) }
            try context.output.line("\(shown) is no longer a login host of the app.")
        case "select":
            let answer = try connection.call(SelectLoginHost.self, .init(app: app, url: address))
            if context.wantsJSON { return try context.output.json(answer.json) }
            try context.output.line("Logins go to \(shown).")
        default:
            let answer = try connection.call(GetLoginScreen.self, .init(app: app))
            if context.wantsJSON { return try context.output.json(answer.json) }
            try context.output.lines(table(answer.reply.screen.loginHosts).lines(for: context.output.terminal))
        }
    }

    static func table(_ hosts: [LoginHost]) -> Table {
        var table = Table([.init(""), .init("LABEL", shortens: true), .init("SET BY"), .init("URL")])
        for host in hosts {
            table.add(
                host.selected ? .init("*", .good) : "", .init(host.label == host.url ? "" : host.label),
                .init(host.origin.words), .init(host.url))
        }
        return table
    }
}

extension LoginHost.Origin {
    fileprivate var words: String {
        switch self {
        case .managed: "administrator"
        case .app: "app"
        case .user: "you"
        }
    }
}
