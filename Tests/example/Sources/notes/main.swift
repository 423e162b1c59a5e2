import SceneSession

// A window of the app "notes": signs in if that is required, says who the user is, and follows what happens.

SceneSession.configure(app: "notes")
UserAccountManager.shared.loginScreenConfiguration.navigationBarColor = "#0dc3bb"
UserAccountManager.shared.loginScreenCreationBlock = { scene in NotesLogin(scene: scene) }
let scene = try await Scene.connect(title: "Notes")

AuthHelper.registerBlock(forCurrentUserChangeNotifications: scene) { event in
    print("current user: \(event.current?.displayName ?? "nobody")")
}
AuthHelper.registerBlock(forLogoutNotifications: scene) {
    AuthHelper.handleLogout(scene) { result in print("after the logout: \(result)") }
}

do {
    let account = try await scene.loginIfRequired()
    let token = try await scene.accessToken()
    print("signed in: \(account.displayName ?? account.subject), with a \(token.type) token")
} catch {
    print("not signed in: \(error)")
}

for await event in scene.events {
    print("event \(event.at.sequence): \(event.kind)")
    if event.kind == .locked { break }
}
scene.close()
