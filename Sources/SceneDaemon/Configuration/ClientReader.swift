import SceneOAuth

// The keys of an app that say how it shows login hosts who it is.

extension AppReader {
    mutating func readClientAuthentication(_ assignment: UnitFile.Assignment, _ file: String) {
        let value = assignment.value.isEmpty ? nil : assignment.value
        places[assignment.key] = (file, assignment.line)
        switch assignment.key {
        case "ClientSecretFile": app.clientSecretFile = value
        case "ClientKeyFile": app.clientKeyFile = value
        case "ClientKeyID": app.clientKeyID = value
        default:
            // By the names of OpenID Connect, too: client_secret_basic.
            let name = (value ?? "auto").replacing("client_secret_", with: "", maxReplacements: 1)
            if let method = ClientAuthenticationMethod(rawValue: name) {
                app.clientAuthentication = method
            } else {
                let choices = ClientAuthenticationMethod.allCases.map(\.rawValue).joined(separator: ", ")
                note("ClientAuthentication= is one of \(choices)", file, assignment.line, .error)
            }
        }
    }

    mutating func readMaxAge(_ assignment: UnitFile.Assignment, _ file: String) {
        let seconds = Int(assignment.value) ?? 0
        if assignment.value.isEmpty {
            app.defaultMaxAge = nil
        } else if 1...Int(Int32.max) ~= seconds {
            app.defaultMaxAge = seconds
        } else {
            note("DefaultMaxAge= is a number of seconds, 1 at least", file, assignment.line, .error)
        }
    }

    /// A file that cannot be used leaves the app in use, as it may be there by the time of the next login.
    mutating func checkClientAuthentication() {
        func say(_ text: String, at key: String, _ severity: Problem.Severity) {
            note(text, places[key]?.file ?? app.source, places[key]?.line, severity)
        }
        switch (app.clientAuthentication, app.clientSecretFile, app.clientKeyFile) {
        case (.basic, nil, _), (.post, nil, _):
            say("this ClientAuthentication= needs ClientSecretFile=", at: "ClientAuthentication", .error)
        case (.privateKeyJWT, _, nil):
            say("this ClientAuthentication= needs ClientKeyFile=", at: "ClientAuthentication", .error)
        case (.auto, _?, _?):
            let text = "with both ClientSecretFile= and ClientKeyFile=, ClientAuthentication= has to say which counts"
            say(text, at: "ClientKeyFile", .error)
        default: break
        }
        for file in [app.secretFile, app.keyFile].compactMap({ $0 }) {
            guard let fault = file.fault(keyID: app.clientKeyID, credentials: credentials) else { continue }
            say(fault.text, at: file.key, .warning)
        }
    }
}
