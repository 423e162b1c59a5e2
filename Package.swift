// swift-tools-version: 6.2
import PackageDescription

// The layers, from the ground up. A target may import only what stands below it;
// `swift build --explicit-target-dependency-import-check error` holds it to that.
//
//   C doors        CLinux CSystemd CSQLite CSodium CCurl CMicroHTTPD CJOSE CQRencode
//   values         SceneModel Varlink CommandLine
//   decisions      SessionCore SceneProtocol
//   outside things SceneStore SceneOAuth SceneLogin SceneSystem LinuxIO
//   the terminal   TerminalScreen
//   assemblies     SceneDaemon SceneCommands SceneSession
//   example        SceneWindow
//   programs       scened scenectl scene-window

let swift: [SwiftSetting] = [
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
    .enableUpcomingFeature("ExistentialAny"),
    .treatAllWarnings(as: .error),
]

/// A C library that Swift reaches through a header of ours, with typed functions where C's are variadic.
func door(_ name: String, links libraries: String...) -> Target {
    .target(
        name: name,
        cSettings: [.treatAllWarnings(as: .error)],
        linkerSettings: libraries.map { .linkedLibrary($0) })
}

func layer(_ name: String, on dependencies: [Target.Dependency], resources: [Resource] = []) -> Target {
    .target(name: name, dependencies: dependencies, resources: resources, swiftSettings: swift)
}

func program(_ name: String, on dependencies: [Target.Dependency]) -> Target {
    .executableTarget(name: name, dependencies: dependencies, swiftSettings: swift)
}

func tests(of target: String, with more: [Target.Dependency] = []) -> Target {
    .testTarget(
        name: target + "Tests", dependencies: [.byName(name: target)] + more, swiftSettings: swift)
}

let package = Package(
    name: "scened",
    products: [
        .executable(name: "scened", targets: ["scened"]),
        .executable(name: "scenectl", targets: ["scenectl"]),
        .executable(name: "scene-window", targets: ["scene-window"]),
        .library(name: "SceneSession", targets: ["SceneSession"]),
    ],
    targets: [
        // C doors
        door("CLinux"),
        door("CSystemd", links: "systemd"),
        door("CSQLite", links: "sqlite3"),
        door("CSodium", links: "sodium"),
        door("CCurl", links: "curl"),
        door("CMicroHTTPD", links: "microhttpd"),
        door("CJOSE", links: "cjose", "crypto"),
        door("CQRencode", links: "qrencode"),

        // Values
        layer("SceneModel", on: []),
        tests(of: "SceneModel"),
        layer("Varlink", on: []),
        tests(of: "Varlink"),
        layer("CommandLine", on: []),
        tests(of: "CommandLine"),

        // Decisions
        layer("SessionCore", on: ["SceneModel"]),
        tests(of: "SessionCore", with: ["SceneModel"]),
        layer(
            "SceneProtocol", on: ["SceneModel", "Varlink"],
            resources: [
                .embedInCode("org.scened.Session.varlink"), .embedInCode("org.scened.Manager.varlink"),
            ]),
        tests(of: "SceneProtocol", with: ["SceneModel", "Varlink"]),

        // Outside things
        layer("LinuxIO", on: ["CLinux", "SceneModel"]),
        tests(of: "LinuxIO", with: ["CLinux", "SceneModel"]),
        layer("SceneSystem", on: ["CSystemd", "CLinux", "LinuxIO", "SceneModel"]),
        tests(of: "SceneSystem", with: ["CLinux", "LinuxIO"]),
        layer(
            "SceneStore",
            on: ["CSQLite", "CSodium", "SceneModel", "SessionCore", "SceneProtocol", "Varlink"]),
        tests(of: "SceneStore", with: ["SceneModel", "SessionCore"]),
        layer("SceneOAuth", on: ["CCurl", "CJOSE", "CSodium", "LinuxIO", "SceneModel", "Varlink"]),
        tests(of: "SceneOAuth", with: ["CJOSE", "CSodium", "LinuxIO", "SceneModel"]),
        layer(
            "SceneLogin", on: ["CMicroHTTPD", "LinuxIO", "SceneModel"],
            resources: [.embedInCode("Messages/en.messages"), .embedInCode("Messages/de.messages")]),
        tests(of: "SceneLogin", with: ["LinuxIO", "SceneModel"]),

        // The terminal
        layer("TerminalScreen", on: ["CQRencode", "CommandLine", "SceneModel"]),
        tests(of: "TerminalScreen", with: ["CommandLine", "SceneModel"]),

        // Assemblies
        layer(
            "SceneDaemon",
            on: [
                "CommandLine", "LinuxIO", "SceneLogin", "SceneModel", "SceneOAuth", "SceneProtocol", "SceneStore",
                "SceneSystem", "SessionCore", "Varlink",
            ]),
        tests(of: "SceneDaemon", with: ["CommandLine", "LinuxIO", "SceneModel", "SceneSystem", "SessionCore"]),
        layer(
            "SceneCommands",
            on: ["CommandLine", "LinuxIO", "SceneModel", "SceneProtocol", "TerminalScreen", "Varlink"]),
        tests(
            of: "SceneCommands",
            with: ["SceneModel", "CommandLine", "SceneProtocol", "Varlink", "LinuxIO", "TestSupport", "scenectl"]),
        layer(
            "SceneSession",
            on: ["CommandLine", "LinuxIO", "SceneModel", "SceneProtocol", "TerminalScreen", "Varlink"]),
        tests(
            of: "SceneSession",
            with: ["LinuxIO", "SceneModel", "SceneProtocol", "TestSupport", "Varlink", "scened", "session-probe"]),

        // Example: a window, as an app's author would make one
        layer("SceneWindow", on: ["CommandLine", "LinuxIO", "SceneSession", "TerminalScreen"]),
        tests(of: "SceneWindow", with: ["CommandLine", "SceneSession", "TerminalScreen"]),

        // Programs
        program("scened", on: ["SceneDaemon"]),
        program("scenectl", on: ["SceneCommands"]),
        program("scene-window", on: ["SceneWindow"]),

        // What tests share
        .target(
            name: "TestSupport", dependencies: ["SceneModel", "SceneProtocol", "Varlink"], path: "Tests/TestSupport",
            swiftSettings: swift),
        // A program with a run loop of its own, as an app's author would write it.
        .executableTarget(
            name: "session-probe", dependencies: ["SceneSession"], path: "Tests/session-probe", swiftSettings: swift),
    ],
    swiftLanguageModes: [.v6]
)
