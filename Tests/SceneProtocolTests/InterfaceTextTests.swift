import FoundationEssentials
import SceneModel
import Testing

@testable import SceneProtocol
@testable import Varlink

/// All that Swift says about one interface.
struct Declarations: Sendable, CustomTestStringConvertible {
    var name: String
    var text: String
    /// Where each method has a file.
    var folder: String
    var methods: [any WireMethod.Type]
    var types: [any WireRecord.Type]
    var errors: [Failure]

    var testDescription: String { name }

    static let session = Declarations(
        name: SessionInterface.name, text: SessionInterface.text, folder: "Session",
        methods: [
            ConnectScene.self, UpdateScene.self, LoginIfRequired.self, Login.self, HandleLogout.self,
            CancelLogin.self, ListAccounts.self, SwitchAccount.self, Logout.self, LogoutAll.self,
            GetAccessToken.self, HandleResponse.self, ListAuthorizations.self, AuthorizeApp.self, GetLoginScreen.self,
            AddLoginHost.self, RemoveLoginHost.self, SelectLoginHost.self, GetIdentity.self, Lock.self, Unlock.self,
        ],
        types: [
            Cursor.self, Account.self, Snapshot.self, Event.self, LoginOptions.self, LoginProgress.self,
            AuthorizationRequest.self, AccessToken.self, LogoutResult.self, LoginHost.self, LoginScreen.self,
        ],
        errors: Failure.prototypes.filter { $0 != .invalidParameter("") })

    static let manager = Declarations(
        name: ManagerInterface.name, text: ManagerInterface.text, folder: "Manager",
        methods: [
            GetStatus.self, ListScenes.self, ListApps.self, Monitor.self, ListRevocations.self, LogoutUser.self,
            Reload.self, GetMetrics.self,
        ],
        types: [SceneInfo.self, AppInfo.self, RevocationInfo.self, Metric.self],
        errors: [.unknownApp(""), .accessDenied(reason: "")])
}

private func lines(_ record: any WireRecord.Type) -> [String] { record.wireFields.map { "\($0.name): \($0.type)" } }

private func lines(_ fields: [InterfaceDescription.Field]) -> [String] { fields.map { "\($0.name): \($0.type.text)" } }

private func lines<Method: WireMethod>(method: Method.Type) -> [String] {
    [Method.name] + lines(Method.Parameters.self) + ["->"] + lines(Method.Reply.self)
}

/// The interface texts and the Swift types say the same, in the same order.
struct InterfaceTextTests {
    static let both = [Declarations.session, .manager]

    @Test(arguments: both) func methodsAgree(_ swift: Declarations) throws {
        let text = try InterfaceDescription(parsing: swift.text)
        #expect(text.name == swift.name)
        let written = text.methods.map {
            ["\(text.name).\($0.name)"] + lines($0.parameters) + ["->"] + lines($0.reply)
        }
        #expect(swift.methods.map { lines(method: $0) } == written)
    }

    @Test(arguments: both) func typesAgree(_ swift: Declarations) throws {
        let written = try InterfaceDescription(parsing: swift.text).types.map { type in
            guard case .structure(let fields) = type.type else { return [type.name] }
            return [type.name] + lines(fields)
        }
        #expect(swift.types.map { [$0.wireType] + lines($0) } == written)
    }

    @Test(arguments: both) func errorsAgree(_ swift: Declarations) throws {
        let written = try InterfaceDescription(parsing: swift.text).errors.map {
            ["\(swift.name).\($0.name)"] + lines($0.parameters)
        }
        let declared = try swift.errors.map { failure in
            let frame = swift.name == ManagerInterface.name ? failure.managerMessage : failure.message
            var coder = FieldCoder.describing()
            var parameters = FailureParameters(failure)
            try parameters.fields(&coder)
            let error = try JSONElement.parse(String(decoding: frame.dropLast(), as: UTF8.self))["error"]?.string
            return [error ?? ""] + coder.described.map { "\($0.name): \($0.type)" }
        }
        #expect(declared == written)
    }

    /// No method is in a file of its own and in none of the lists above.
    @Test(arguments: both) func eachMethodHasItsFile(_ swift: Declarations) throws {
        let folder = URL(filePath: #filePath)
            .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
            .appending(path: "Sources/SceneProtocol/\(swift.folder)")
        let files = try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
        #expect(files == swift.methods.map { "\($0)".replacing("\(swift.name).", with: "") + ".swift" }.sorted())
    }

    /// What is embedded in the binary is what lies beside it.
    @Test(arguments: both) func textIsTheFiles(_ swift: Declarations) throws {
        let file = URL(filePath: #filePath)
            .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
            .appending(path: "Sources/SceneProtocol/\(swift.name).varlink")
        #expect(FileManager.default.contents(atPath: file.path) == Data(swift.text.utf8))
    }
}
