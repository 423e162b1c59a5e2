/// What the tables look like, version by version (PRAGMA user_version).
enum Schema {
    /// "scnd": tells our files from other SQLite files (PRAGMA application_id).
    static let applicationID = 0x7363_6e64

    /// Each step brings a database from the version that is its index to the next one. Steps are only ever added.
    static let steps: [String] = [version1, version2, version3]

    static var version: Int { steps.count }

    /// What the database's tables lack of that version, or have beyond it, in words. Other tables are none of ours.
    static func difference(of database: Database, from version: Int) throws(SQLiteError) -> String? {
        let model = try Database(path: ":memory:")
        for step in steps[..<version] { try model.execute(step) }
        let (wanted, found) = (try tables(of: model), try tables(of: database))
        for (table, columns) in wanted.sorted(by: { $0.key < $1.key }) {
            guard let present = found[table] else { return "\(table) is missing" }
            if let lost = columns.subtracting(present).min() { return "\(table).\(lost) is missing" }
            if let more = present.subtracting(columns).min() { return "\(table).\(more) does not belong there" }
        }
        return nil
    }

    private static func tables(of database: Database) throws(SQLiteError) -> [String: Set<String>] {
        var tables: [String: Set<String>] = [:]
        for row in try database.run("SELECT name FROM sqlite_schema WHERE type = 'table'") {
            guard case .text(let table) = row.first else { continue }
            let columns = try database.run("SELECT name FROM pragma_table_xinfo(?)", [.text(table)])
            tables[table] = Set(columns.compactMap { if case .text(let name) = $0.first { name } else { nil } })
        }
        return tables
    }

    /// Sealed columns are blobs, and hold what is personal besides what is secret: accounts, claims, events.
    private static let version1 = """
        CREATE TABLE meta (
            name TEXT PRIMARY KEY,
            value BLOB NOT NULL
        ) STRICT, WITHOUT ROWID;

        CREATE TABLE sessions (
            uid INTEGER NOT NULL,
            app TEXT NOT NULL,
            epoch TEXT NOT NULL,
            sequence INTEGER NOT NULL,
            current TEXT,
            selection_pending INTEGER NOT NULL,
            login_pending INTEGER NOT NULL,
            locked INTEGER NOT NULL,
            selected_login_host TEXT,
            PRIMARY KEY (uid, app)
        ) STRICT, WITHOUT ROWID;

        CREATE TABLE accounts (
            number INTEGER PRIMARY KEY,
            uid INTEGER NOT NULL,
            app TEXT NOT NULL,
            id TEXT NOT NULL,
            account BLOB NOT NULL,
            claims BLOB,
            reason TEXT,
            generation INTEGER NOT NULL,
            client_id TEXT NOT NULL,
            access_token BLOB NOT NULL,
            token_type TEXT NOT NULL,
            refresh_token BLOB,
            id_token BLOB,
            scope TEXT,
            obtained_boot INTEGER,
            obtained_wall INTEGER,
            lifetime_seconds INTEGER,
            boot_id TEXT,
            instance_url TEXT,
            is_refreshing INTEGER NOT NULL,
            UNIQUE (uid, app, id),
            FOREIGN KEY (uid, app) REFERENCES sessions
        ) STRICT;

        CREATE TABLE revocations (
            number INTEGER PRIMARY KEY,
            uid INTEGER NOT NULL,
            app TEXT NOT NULL,
            id TEXT NOT NULL,
            account BLOB NOT NULL,
            client_id TEXT NOT NULL,
            refresh_token BLOB,
            access_token BLOB,
            reason TEXT NOT NULL,
            attempts INTEGER NOT NULL,
            created INTEGER NOT NULL,
            next_attempt INTEGER NOT NULL,
            UNIQUE (uid, app, id),
            FOREIGN KEY (uid, app) REFERENCES sessions
        ) STRICT;

        CREATE TABLE login_hosts (
            number INTEGER PRIMARY KEY,
            uid INTEGER NOT NULL,
            app TEXT NOT NULL,
            url TEXT NOT NULL,
            label TEXT NOT NULL,
            UNIQUE (uid, app, url),
            FOREIGN KEY (uid, app) REFERENCES sessions
        ) STRICT;

        CREATE TABLE history (
            uid INTEGER NOT NULL,
            app TEXT NOT NULL,
            sequence INTEGER NOT NULL,
            epoch TEXT NOT NULL,
            event BLOB NOT NULL,
            PRIMARY KEY (uid, app, sequence),
            FOREIGN KEY (uid, app) REFERENCES sessions
        ) STRICT, WITHOUT ROWID;
        """

    /// With `loggedOut`: what the login host made of it, where that is not `revoked`. And whether a login is under way, which
    /// is null as long as only the history tells.
    private static let version2 = """
        ALTER TABLE history ADD COLUMN remote TEXT;
        ALTER TABLE sessions ADD COLUMN login_under_way INTEGER;
        """

    /// The login host that the history shows selected; null where it was not written yet.
    private static let version3 = "ALTER TABLE sessions ADD COLUMN announced_login_host TEXT;"
}
