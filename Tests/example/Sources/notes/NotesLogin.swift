import SceneSession

/// The login screen with a title and a back button of the app's own.
final class NotesLogin: LoginScreenController {
    override func createTitleItem() -> NavigationBarItem? { NavigationBarItem("Welcome to Notes") }
    override func createBackButton() -> NavigationBarItem? { NavigationBarItem("Later") }
    override func shouldShowBackButton() -> Bool { true }
}
