import SceneModel
import SessionCore

/// What login hosts are still to be told. Sealed: the account and the tokens.
enum RevocationTable {
    static func columns(_ record: RevocationRecord, _ row: SealedRow) -> [(String, Value)] {
        [
            ("account", row.seal(encode(record.account), "account")),
            ("client_id", .text(record.clientID)),
            ("refresh_token", row.seal(record.refreshToken, "refresh_token")),
            ("access_token", row.seal(record.accessToken, "access_token")),
            ("reason", .text(record.reason)),
            ("attempts", .integer(record.attempts)),
            ("created", .integer(record.created)),
            ("next_attempt", .integer(record.nextAttempt)),
        ]
    }

    static func record(_ columns: Row, _ row: SealedRow) throws(UnreadableRow) -> RevocationRecord {
        RevocationRecord(
            id: row.id,
            account: try row.open("account", of: columns, decodeAccount),
            clientID: try columns.text("client_id"),
            refreshToken: try row.openOrNull("refresh_token", of: columns),
            accessToken: try row.openOrNull("access_token", of: columns),
            reason: try columns.text("reason"),
            attempts: try columns.count("attempts"),
            created: try columns.count("created"),
            nextAttempt: try columns.count("next_attempt"))
    }
}
