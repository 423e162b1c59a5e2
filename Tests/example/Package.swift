// swift-tools-version: 6.2
import PackageDescription

// As an app's author would write it; in place of the path stands the repository's address.
let package = Package(
    name: "notes",
    dependencies: [.package(name: "scened", path: "../..")],
    targets: [
        .executableTarget(name: "notes", dependencies: [.product(name: "SceneSession", package: "scened")])
    ]
)
