import SceneModel

@testable import SessionCore

// What must be true of an action at the time when it is carried out. What is told is held against the ledger, which is
// what a crash would leave.
extension RandomHistory {
    func watch(_ action: Action) {
        switch action {
        case .reply(let call, let reply):
            if let asked = witness.asked.removeValue(forKey: call) { check(reply, to: asked) }
        case .fail(let call, let failure):
            if let asked = witness.asked.removeValue(forKey: call) { check(failure, of: asked) }
        case .progress(let call, let progress):
            if let asked = witness.asked[call] { check(progress, of: asked) }
        case .openStream(let call, let opening, _):
            if let asked = witness.asked[call] { check(opening, of: asked) }
        case .closeStream(let call): witness.asked[call] = nil
        case .commit(let change): check(change)
        case .published(let sequence):
            if sequence != stage.ledger.record.sequence { fault("event \(sequence) is told, and not stored") }
        case .beginLogin:
            if !witness.hasBegun { fault("a login begins that history does not show") }
        case .moveLogin(let order):
            count("a login begins again at another host")
            if order.host != stage.session.selectedLoginHost {
                fault("a login moves to a host that is not the selected one")
            }
        case .refresh(let order): check(order)
        case .revoke(let record, _): check(record)
        case .pollDevice(let login): witness.pollTimes[login] = witness.tick()
        case .tellProvider(let app, let message): told(app, message)
        case .tellAsker(let app, let request, let answer): told(app, request, answer)
        case .offerLogin(let app, let request, let choice): offered(app, request, choice)
        case .startApp:
            if !stage.session.scenes.isEmpty { fault("an app is started that is there") }
        case .leaveScreen: count("a user goes back to the identity provider")
        case .endLogin, .awaitTurnEnd, .audit: break
        }
    }

    func fault(_ text: String) { witness.faults.append(text) }

    private func check(_ reply: Reply, to asked: Asked) {
        let (session, ledger) = (stage.session, stage.ledger)
        let cursor = Cursor(epoch: ledger.record.epoch, sequence: ledger.record.sequence)
        switch (asked.method, reply) {
        case (.loginIfRequired, .login(let progress)), (.handleLogout, .login(let progress)):
            if progress.at != cursor { fault("a user is told of for \(String(describing: progress.at))") }
            guard let account = ledger.account(progress.account), account.account.id == ledger.record.current,
                account.account == progress.account, account.account.state != .loginRequired, !ledger.record.locked
            else { return fault("a call got a user who is not stored as the current one") }
        case (.login, .login(let progress)):
            if progress.at != cursor { fault("a login is told of for \(String(describing: progress.at))") }
            if progress.state != .signedIn || ledger.account(progress.account) == nil {
                fault("a login is told of that is not stored")
            }
        case (.switchAccount(let id), .switched(let account, let at)):
            if at != cursor || account.id != id || ledger.record.current != id { fault("a switch is told, not stored") }
        case (.logout(let id), .loggedOut(let result, let at)):
            if at.sequence > cursor.sequence || ledger.account(result.account) != nil
                || id.map({ $0 != result.account.id }) ?? false
            {
                fault("a logout is told, not stored")
            }
        case (.logoutAll, .loggedOutAll(let results, let at)):
            if at.sequence > cursor.sequence || results.contains(where: { ledger.account($0.account) != nil }) {
                fault("a logout of all is told, not stored")
            }
        case (.logoutUser, .accountsSignedOut): break
        case (.token(let id, let rejected, let scope), .token(let token)):
            if token.account.id != id { fault("a token of another account than asked for") }
            check(token, rejected: rejected, scope: scope)
        case (.addLoginHost, .loginHost(let host)):
            // The configuration may have hidden it on its way to the disk.
            if !session.loginHosts.contains(host), !ledger.loginHosts.contains(where: { $0.url == host.url }) {
                fault("a login host is told of, and not there")
            }
        case (.removeLoginHost(let url), .done):
            let removed = try? LoginHostAddress.normalized(url)
            if ledger.loginHosts.contains(where: { $0.url == removed }) { fault("a login host is not removed") }
        case (.selectLoginHost(let url), .done):
            let chosen = try? LoginHostAddress.normalized(url)
            if chosen != session.selectedLoginHost, chosen != ledger.record.selectedLoginHost {
                fault("\(url) is not selected")
            }
        case (.lock(let locks), .done):
            if ledger.record.locked != locks { fault("the lock is told, not stored") }
        case (.cancelLogin, .done), (.returnToProvider, .done):
            if stage.keptPage != nil { fault("a login has left its screen, and would come back there over a crash") }
        case (.updateScene, .done), (.authorize, .authorized), (.authorize, .denied): break
        default: fault("\(asked.method) is answered with another method's reply")
        }
    }

    /// Stored before anybody sees it, of use at the login host for all one can know, and what was asked for.
    private func check(_ token: AccessToken, rejected: Secret?, scope: String?) {
        let name = token.value.text
        guard let holder = stage.ledger.account(token.account), holder.grant.accessToken == token.value else {
            return fault("a token is told, not stored")
        }
        if holder.account.state == .loginRequired { fault("a token of a refused grant") }
        if stage.ledger.record.locked { fault("a token of a locked session") }
        if token.value == rejected { fault("the token that was rejected") }
        if let scope, let granted = holder.grant.scope,
            !Set(scope.split(separator: " ")).isSubset(of: granted.split(separator: " "))
        {
            fault("a token for less than was asked for")
        }
        if let issue = host.issues[name], issue.isOver(stage.now, bootID: stage.bootID) { fault("an expired token") }
    }

    private func check(_ failure: Failure, of asked: Asked) {
        if case .authorize(let request) = asked.method { return check(failure, ofAnswerTo: request) }
        let (session, record) = (stage.session, stage.ledger.record)
        let isTrue: Bool
        switch failure {
        case .unknownApp: isTrue = witness.appHasVanished
        case .unknownScene(let scene): isTrue = session.scenes[scene] == nil
        case .unknownAccount(let id): isTrue = stage.ledger.accounts.allSatisfy { $0.account.id != id }
        case .sceneInUse(let scene):
            isTrue = session.scenes[scene].map { stage.running.contains($0.process) } ?? false
        case .notSignedIn: isTrue = session.usable == nil
        case .loginTimedOut: isTrue = asked.deadline.map { $0 <= stage.now.boot } ?? false
        case .sessionLocked: isTrue = record.locked
        case .storageUnavailable:
            isTrue = witness.diskHasFailed || stage.disk == .full || witness.failuresOfProvider.contains(failure)
        case .accessDenied:
            isTrue =
                if asked.method == .lock(false) {
                    session.policy.lock == .session && (session.screen == .locked || session.screen == .unknown)
                } else { !session.policy.canChangeLoginHost || session.policy.onlyManagedLoginHosts }
        case .loginCancelled: isTrue = asked.options != nil
        case .interactionRequired, .loginHostUnavailable, .loginFailed:
            if case .token(let id, let rejected, _) = asked.method {
                return check(failure, id: id, rejected: rejected)
            }
            isTrue = asked.options != nil
        case .unknownRequest: isTrue = false
        case .unknownLoginHost, .loginHostNotRemovable, .invalidLoginHost, .invalidParameter, .quotaExceeded:
            isTrue = true
        }
        if !isTrue { fault("\(asked.method) fails with \(failure), and that is not so") }
    }

    /// Trouble with the login host is no reason to keep back a token that lives.
    private func check(_ failure: Failure, id: String?, rejected: Secret?) {
        guard let holder = stage.ledger.accounts.first(where: { $0.account.id == id }) else { return }
        if case .interactionRequired(let reason) = failure {
            if reason != "scopeNotGranted", holder.account.state != .loginRequired {
                fault("\(reason), and it is not so")
            }
            return
        }
        let token = holder.grant.accessToken
        let issue = host.issues[token.text]
        let isOver = issue?.isOver(stage.now, bootID: stage.bootID) ?? true
        if !witness.unavailable.contains(holder.account.id), !isOver { fault("the login host was not unavailable") }
        if let issue, issue.seconds != nil, token != rejected, !isOver, issue.at.wall <= stage.now.wall {
            fault("a token that lives is kept back")
        }
    }

    private func check(_ progress: LoginProgress, of asked: Asked) {
        if !asked.streams || asked.options == nil { fault("progress for who cannot be told") }
        switch progress.state {
        case .presenting where progress.userCode != nil:
            guard case .polling(let polling) = stage.session.login?.state, polling.prompt.userCode == progress.userCode
            else { return fault("a code is told of that is not there") }
        case .presenting:
            guard case .presenting(let page) = stage.session.login?.state, page.loginScreen == progress.loginScreen,
                page.authorizationUri == progress.authorizationUri
            else { return fault("a login screen is told of that is not there") }
            let sent = stage.session.login?.sent
            if progress.identityProviderUri != (sent == nil ? nil : page.identityProviderUri) {
                fault("a request is told of that is not there")
            }
            if let deadline = sent?.deadline, deadline < stage.now.boot, !hasSlept {
                fault("a request is told of that is over")
            }
        case .selecting:
            if progress.accounts?.map(\.id) != stage.ledger.accounts.map(\.account.id) {
                fault("a choice among others")
            }
        case .waiting, .authorizing: if stage.session.login == nil { fault("progress of a login that is not") }
        case .locked: if !stage.ledger.record.locked { fault("told of a lock that is not") }
        case .signedIn, .alreadySignedIn: fault("an end in the guise of progress")
        }
    }

    /// Rule 4: what was missed where it is all kept, else a snapshot, with `gap` where something was lost.
    private func check(_ opening: Event, of asked: Asked) {
        guard case .connectScene(let after) = asked.method else { return fault("a stream for \(asked.method)") }
        let record = stage.ledger.record
        let missed = after.map { record.sequence.subtractingReportingOverflow($0.sequence).partialValue }
        let isKept = after?.epoch == record.epoch && (0...historyLimit).contains(missed ?? -1)
        if isKept != (opening.kind == .resumed) || (opening.kind == .snapshot && opening.gap != (after != nil)) {
            fault("after \(missed ?? -1) events a stream opens with \(opening.kind), gap \(opening.gap ?? false)")
        }
        if isKept, missed ?? 0 > 0 { count("a scene comes back, and is told what it missed") }
        if !isKept, after?.epoch == record.epoch, missed ?? 0 > historyLimit { count("a scene comes back too late") }
    }

    /// Rule 7: the intent is stored, and the token is the newest that is.
    private func check(_ order: RefreshOrder) {
        guard let stored = stage.ledger.account(order.account) else {
            return fault("\(order.account.id) is refreshed, and not there")
        }
        if !stored.grant.isRefreshing { fault("a refresh whose intent is not stored") }
        if stored.grant.generation != order.generation || stored.grant.refreshToken != order.refreshToken {
            fault("a refresh with a token that has a successor")
        }
        if stage.session.unstored[order.account.id] != nil { fault("a refresh while new tokens are to be stored") }
    }

    private func check(_ revocation: RevocationRecord) {
        for holder in stage.session.accounts where holder.grant.refreshToken == revocation.refreshToken {
            if revocation.refreshToken != nil {
                fault("the tokens of \(holder.account.id), who is signed in, are revoked")
            }
        }
    }
}

extension StoredSession {
    func account(_ account: Account?) -> AccountRecord? {
        accounts.first { $0.account.id == account?.id }
    }
}
