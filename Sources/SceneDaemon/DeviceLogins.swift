import SceneModel
import SceneOAuth
import SceneSystem
import SessionCore
import Varlink

// Logins with a code for another device (RFC 8628): no listener, no page; the session says when to ask.

extension Daemon {
    func beginDeviceLogin(_ order: LoginOrder, _ running: RunningLogin, _ client: Client, _ live: LiveSession) {
        running.task = Task {
            do throws(OAuthFailure) {
                let device = try await oauth.authorizeDevice(
                    host: order.host, client: client, loginHint: order.loginHint, force: order.force)
                guard live.login === running else { return }
                running.device = device
                happened(live) { $0.deviceCodeReceived(running.id, device.prompt, world: $1) }
                if live.login === running, let attempt = live.session.login {
                    keep(running, KeptLogin(live.key, attempt, device))
                }
            } catch {
                failed(running, error, live)
            }
        }
    }

    func moveDeviceLogin(_ order: LoginOrder, _ former: RunningLogin, _ app: AppConfiguration, _ live: LiveSession) {
        // Asking for the tokens of its code may bring some, which are to be revoked.
        if former.device == nil { former.task?.cancel() }
        unkeep(former)
        let running = RunningLogin(id: order.login, page: former.page)
        live.login = running
        do throws(OAuthFailure) {
            let client = try client(of: app.name, host: order.host, clientID: app.clientID)
            beginDeviceLogin(order, running, client, live)
        } catch {
            failed(running, error, live)
        }
    }

    func pollDevice(_ id: Int, _ live: LiveSession) {
        guard let running = live.login, running.id == id, let device = running.device else { return }
        tokenRequests += 1
        running.task = Task {
            defer { tokenRequestEnded() }
            do throws(OAuthFailure) {
                let client = try client(of: live.key.app, host: device.host, clientID: device.clientID)
                switch try await oauth.redeem(device, client: client) {
                case .granted(let tokens, let identity):
                    // The code is used up: the process that comes next has no use for it.
                    unkeep(running)
                    let signIn = SignIn(tokens, identity, host: device.host, client, bootID: bootID)
                    // Not only while the login goes on: what comes too late is revoked.
                    if hasBegunAgain(running, live) {
                        let revocable = RevocableTokens(
                            clientID: device.clientID, accessToken: tokens.accessToken,
                            refreshToken: tokens.refreshToken)
                        happened(live) {
                            $0.unusableTokensReceived(signIn.account, revocable, reason: "late", world: $1)
                        }
                    } else {
                        happened(live) { $0.tokensReceived(id, signIn, world: $1) }
                    }
                case _ where hasBegunAgain(running, live): break
                case .pending: happened(live) { $0.deviceAnswered(id, .pending, world: $1) }
                case .slowDown: happened(live) { $0.deviceAnswered(id, .slowDown, world: $1) }
                case .unavailable(let failure): deviceUnavailable(id, failure, live)
                }
            } catch {
                revokeUnusable(error, issuer: device.issuer, host: device.host, clientID: device.clientID, live)
                failed(running, error, live)
            }
        }
    }

    /// At another host, where it has another code.
    private func hasBegunAgain(_ running: RunningLogin, _ live: LiveSession) -> Bool {
        live.login.map { $0 !== running && $0.id == running.id } ?? false
    }

    private func deviceUnavailable(_ id: Int, _ failure: OAuthFailure, _ live: LiveSession) {
        Journal.write(
            JournalEntry(
                priority: .info, message: "Whether a code was used is not known: \(failure.explanation)",
                messageID: MessageID.loginHostUnavailable,
                fields: [("SCENED_APP", live.key.app), ("SCENED_UID", "\(live.key.uid)")]))
        let isLost = if case .lost = failure { true } else { false }
        let answer = DeviceAnswer.unavailable(retryAfterSeconds: failure.retryAfterSeconds, mayBeSpent: isLost)
        happened(live) { $0.deviceAnswered(id, answer, world: $1) }
    }
}

extension DeviceAuthorization {
    var prompt: DevicePrompt {
        DevicePrompt(
            userCode: userCode, verificationUri: verificationUri, verificationUriComplete: verificationUriComplete,
            expires: requested.advanced(bySeconds: expiresIn), interval: interval)
    }
}
