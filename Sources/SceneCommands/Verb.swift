import CommandLine

/// One thing that scenectl does.
protocol Verb: SendableMetatype {
    static var command: Command { get }
    static func run(_ context: Context) throws(CommandFailure)
}
