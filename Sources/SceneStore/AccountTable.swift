import SceneModel
import SessionCore

/// Accounts and their grants. Sealed: the account and its claims, which are personal, and the tokens.
enum AccountTable {
    static func columns(_ record: AccountRecord, _ row: SealedRow) -> [(String, Value)] {
        let grant = record.grant
        return [
            ("account", row.seal(encode(record.account), "account")),
            ("claims", record.claims.map { row.seal(Array($0.utf8), "claims") } ?? .null),
            ("reason", .text(orNull: record.reason)),
            ("generation", .integer(grant.generation)),
            ("client_id", .text(grant.clientID)),
            ("access_token", row.seal(grant.accessToken, "access_token")),
            ("token_type", .text(grant.tokenType)),
            ("refresh_token", row.seal(grant.refreshToken, "refresh_token")),
            ("id_token", row.seal(grant.idToken, "id_token")),
            ("scope", .text(orNull: grant.scope)),
            ("instance_url", .text(orNull: grant.instanceUrl)),
            ("is_refreshing", .bool(grant.isRefreshing)),
        ] + columns(grant.lifetime)
    }

    static func record(_ columns: Row, _ row: SealedRow) throws(UnreadableRow) -> AccountRecord {
        let account = try row.open("account", of: columns, decodeAccount)
        guard account.id == row.id else { throw UnreadableRow() }
        return AccountRecord(
            account: account,
            grant: Grant(
                generation: try columns.count("generation"),
                clientID: try columns.text("client_id"),
                accessToken: try row.open("access_token", of: columns),
                tokenType: try columns.text("token_type"),
                refreshToken: try row.openOrNull("refresh_token", of: columns),
                idToken: try row.openOrNull("id_token", of: columns),
                scope: try columns.textOrNull("scope"),
                lifetime: try lifetime(columns),
                instanceUrl: try columns.textOrNull("instance_url"),
                isRefreshing: try columns.bool("is_refreshing")),
            claims: try row.openOrNull("claims", of: columns)?.text,
            reason: try columns.textOrNull("reason"))
    }

    private static func columns(_ lifetime: Lifetime?) -> [(String, Value)] {
        [
            ("obtained_boot", lifetime.map { .integer(Int($0.obtained.boot.nanoseconds)) } ?? .null),
            ("obtained_wall", lifetime.map { .integer($0.obtained.wall) } ?? .null),
            ("lifetime_seconds", lifetime.map { .integer($0.seconds) } ?? .null),
            ("boot_id", .text(orNull: lifetime?.bootID)),
        ]
    }

    private static func lifetime(_ columns: Row) throws(UnreadableRow) -> Lifetime? {
        guard columns["lifetime_seconds"] != .null else { return nil }
        let boot = Instant(nanoseconds: Int64(try columns.int("obtained_boot")))
        return Lifetime(
            obtained: Moment(boot: boot, wall: try columns.int("obtained_wall")),
            seconds: try columns.int("lifetime_seconds"),
            bootID: try columns.text("boot_id"))
    }
}
