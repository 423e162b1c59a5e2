import SceneModel

@testable import SessionCore

extension Stage {
    /// The first refresh under way brings this.
    func refreshed(_ name: String, refreshToken: String? = nil, lives seconds: Int = 3600) {
        let order = finishRefresh(0)
        let tokens = Refreshed.test(
            name, refreshToken: refreshToken, lives: .test(seconds, at: now, bootID: bootID))
        happens { $0.tokensRefreshed(order.account, generation: order.generation, tokens, world: $1) }
    }

    func unavailable(_ retryAfter: Int? = nil, mayBeSpent: Bool = false) {
        let order = finishRefresh(0)
        happens {
            $0.refreshUnavailable(
                order.account, generation: order.generation, retryAfterSeconds: retryAfter, mayBeSpent: mayBeSpent,
                world: $1)
        }
    }

    func refused() {
        let order = finishRefresh(0)
        happens {
            $0.refreshRefused(order.account, generation: order.generation, code: "invalid_grant", world: $1)
        }
    }
}
