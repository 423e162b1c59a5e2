import SceneModel

@testable import SessionCore

/// What sessions have to say to each other, on its way through the daemon, in order.
final class Mailbox {
    struct Letter {
        var key: SessionKey
        var request: String
        var open: (RandomHistory) -> Void
    }

    private(set) var letters: [Letter] = []

    func post(_ request: String, to key: SessionKey, _ open: @escaping (RandomHistory) -> Void) {
        letters.append(Letter(key: key, request: request, open: open))
    }

    func next() -> Letter? { letters.isEmpty ? nil : letters.removeFirst() }

    func isOnItsWay(_ request: String) -> Bool { letters.contains { $0.request == request } }

    func empty() { letters = [] }
}

extension ProviderMessage {
    var request: String {
        switch self {
        case .asks(let question): question.request
        case .isReady(let request, _), .isOver(let request, _): request
        }
    }
}
