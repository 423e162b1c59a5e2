import Glibc
import LinuxIO

// The ports that logins are reached at, also over a restart.

extension LoginPages {
    /// The listening sockets of a login with their ports; they stay this object's.
    package func listeners(of login: Int) -> [(port: UInt16, descriptor: Int32)] {
        (routes.logins[login]?.endpoints ?? []).compactMap { endpoint in
            servers[endpoint].map { (endpoint.port, $0.descriptor) }
        }
    }

    /// Takes over a listening socket of a process before this one, for a login that is opened on its port.
    package func inherit(_ descriptor: Int32) {
        guard let port = try? ListenSocket.port(of: descriptor), let isIPv6 = ListenSocket.isIPv6(descriptor) else {
            Glibc.close(descriptor)
            return
        }
        if let former = inherited.updateValue(descriptor, forKey: Endpoint(isIPv6: isIPv6, port: port)) {
            Glibc.close(former)
        }
    }

    /// No login wants what is left.
    package func forgetInherited() {
        for descriptor in inherited.values {
            shutDown(descriptor)
            Glibc.close(descriptor)
        }
        inherited = [:]
    }

    // MARK: Listening

    /// On the redirect URI's port, or else on the one that a browser knows already, if it is to be had.
    func listen(_ redirect: RedirectURI, preferring known: UInt16?) throws(LoopbackFailure) -> [Endpoint] {
        guard redirect.port == nil, let known else { return try listen(on: redirect.host, redirect.port) }
        do throws(LoopbackFailure) {
            return try listen(on: redirect.host, known)
        } catch {
            return try listen(on: redirect.host, nil)
        }
    }

    private func listen(on host: RedirectURI.Host, _ port: UInt16?) throws(LoopbackFailure) -> [Endpoint] {
        switch host {
        case .ipv4: [try listen(isIPv6: false, port)]
        case .ipv6: [try listen(isIPv6: true, port)]
        case .localhost: try listenOnBoth(port)
        }
    }

    /// A browser may take `localhost` for either address. Whoever else listened on the other one would get the callback.
    private func listenOnBoth(_ port: UInt16?) throws(LoopbackFailure) -> [Endpoint] {
        var attempts = port == nil ? 8 : 1
        while true {
            attempts -= 1
            let first = try listen(isIPv6: false, port)
            do throws(LoopbackFailure) {
                return [first, try listen(isIPv6: true, first.port)]
            } catch {
                if case .system = error, !ListenSocket.hasIPv6 { return [first] }
                if routes.logins(at: first).isEmpty { servers.removeValue(forKey: first)?.close() }
                guard case .portTaken = error, attempts > 0 else { throw error }
            }
        }
    }

    private func listen(isIPv6: Bool, _ port: UInt16?) throws(LoopbackFailure) -> Endpoint {
        if let port, servers[Endpoint(isIPv6: isIPv6, port: port)] != nil {
            return Endpoint(isIPv6: isIPv6, port: port)
        }
        do throws(SystemError) {
            let owners = try diagnosis()
            let former = port.flatMap { inherited.removeValue(forKey: Endpoint(isIPv6: isIPv6, port: $0)) }
            let socket =
                if let former { OwnedDescriptor(former) } else {
                    try ListenSocket.open(isIPv6: isIPv6, port: port ?? 0)
                }
            let endpoint = Endpoint(isIPv6: isIPv6, port: try ListenSocket.port(of: socket.raw))
            let server = try HTTPServer(loop: loop, owners: owners, endpoint: endpoint, socket: socket)
            server.onRequest = { [weak self, unowned server] in self?.requested($0, at: server) }
            server.isStranger = { [weak self] uid in
                guard let uid, let self else { return true }
                return !routes.logins(at: endpoint).contains { $0.uid == uid }
            }
            servers[endpoint] = server
            return endpoint
        } catch {
            throw error.isAddressInUse ? .portTaken(port ?? 0) : .system(error.description)
        }
    }

    private func diagnosis() throws(SystemError) -> SocketOwners {
        if let owners { return owners }
        let opened = try SocketOwners()
        owners = opened
        return opened
    }
}
