import SceneModel
import Varlink

extension LoginOptions.Presentation: WireEnum {}

extension LoginOptions: WireRecord {
    package mutating func fields(_ coder: inout FieldCoder) throws(WireError) {
        try coder.field("presentation", &presentation)
        try coder.field("loginHost", &loginHost)
        try coder.field("loginHint", &loginHint)
        try coder.field("force", &force)
        try coder.field("timeoutSeconds", &timeoutSeconds)
        try coder.field("local", &local)
    }
}

extension LoginProgress.State: WireEnum {}

extension LoginProgress: WireRecord {
    package init() { self.init(.waiting) }

    package mutating func fields(_ coder: inout FieldCoder) throws(WireError) {
        try coder.field("state", &state)
        try coder.field("presenter", &presenter)
        try coder.field("loginScreen", &loginScreen)
        try coder.field("authorizationUri", &authorizationUri)
        try coder.field("userCode", &userCode)
        try coder.field("verificationUri", &verificationUri)
        try coder.field("verificationUriComplete", &verificationUriComplete)
        try coder.field("expiresInSeconds", &expiresInSeconds)
        try coder.field("accounts", &accounts)
        try coder.field("account", &account)
        try coder.field("at", &at)
        try coder.field("identityProvider", &identityProvider)
        try coder.field("identityProviderUri", &identityProviderUri)
        try coder.field("reason", &reason)
    }
}

extension LoginHost.Origin: WireEnum {}

extension LoginHost: WireRecord {
    package init() { self.init(url: "") }

    package mutating func fields(_ coder: inout FieldCoder) throws(WireError) {
        try coder.field("url", &url)
        try coder.field("label", &label)
        try coder.field("origin", &origin)
        try coder.field("selected", &selected)
        try coder.field("removable", &removable)
    }
}

extension LoginScreen: WireRecord {
    package mutating func fields(_ coder: inout FieldCoder) throws(WireError) {
        try coder.field("title", &title)
        try coder.field("showsNavigationBar", &showsNavigationBar)
        try coder.field("showsSettingsIcon", &showsSettingsIcon)
        try coder.field("showsBackButton", &showsBackButton)
        try coder.field("backButtonAction", &backButtonAction)
        try coder.field("navigationBarColor", &navigationBarColor)
        try coder.field("navigationBarTextColor", &navigationBarTextColor)
        try coder.field("navigationBarFont", &navigationBarFont)
        try coder.field("logo", &logo)
        try coder.field("styleSheet", &styleSheet)
        try coder.field("settingsIcon", &settingsIcon)
        try coder.field("loginHosts", &loginHosts)
        try coder.field("canAddLoginHost", &canAddLoginHost)
    }
}
