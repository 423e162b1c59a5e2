import CSQLite
import SceneModel

/// A database that is ours, whole, of this version, and sealed with this key.
struct OpenedDatabase {
    var database: Database
    var key: SealingKey
    var keySource: KeySource
    var problems: [String]
}

/// Opens a state directory's database. Until it is known to be ours and its key at hand, nothing in it is changed.
struct DatabaseOpening {
    let directory: StateDirectory
    let credential: Secret?

    private enum Content {
        case nothing, foreign
        case newer(version: Int)
        /// Its tables are not those of its version: this table or column is missing, or one too many.
        case misshapen(version: Int, what: String)
        case ours(version: Int, fingerprint: [UInt8])
    }

    func run() throws(StoreError) -> OpenedDatabase {
        let existing = try KeySource.existingKey(credential, in: directory)
        let (database, content, problems) = try openFile()
        let key: SealingKey
        let version: Int
        switch content {
        case .foreign:
            throw StoreError(reason: "\(directory.database) belongs to another program: move it away.")
        case .newer(let version):
            throw StoreError(
                reason: "\(directory.database) was written by a newer scened (version \(version) of its tables, "
                    + "this one knows \(Schema.version)): install that one again.")
        case .misshapen(let version, let what):
            throw StoreError(
                reason: "\(directory.database) does not have the tables of its version (\(version)): \(what). "
                    + SQLiteError.remedy)
        case .nothing:
            version = 0
            if let existing { key = existing } else { key = try KeySource.makeKey(in: directory) }
        case .ours(let found, let fingerprint):
            version = found
            key = try check(existing, fingerprint)
        }
        do {
            try prepare(database, from: version, key)
        } catch {
            throw error.told(of: directory.database)
        }
        return OpenedDatabase(
            database: database, key: key, keySource: credential == nil ? .file : .credential, problems: problems)
    }

    /// Sets the file aside, once, where it is damaged.
    private func openFile() throws(StoreError) -> (Database, Content, problems: [String]) {
        let file = DatabaseFile(directory: directory)
        var problems: [String] = []
        if file.isMistakenForEmpty { problems.append(try file.setAside()) }
        try file.create()
        do {
            let (database, content) = try inspect()
            return (database, content, problems)
        } catch {
            guard error.isDamage else { throw error.told(of: directory.database) }
        }
        problems.append(try file.setAside())
        try file.create()
        do {
            let (database, content) = try inspect()
            return (database, content, problems)
        } catch {
            throw error.told(of: directory.database)
        }
    }

    /// A file that our own constant statements make no sense in is damaged: SQLite says so of a header that names a format
    /// or an encoding which does not exist.
    private func inspect() throws(SQLiteError) -> (Database, Content) {
        do {
            return try content()
        } catch {
            throw error.primaryCode == SQLITE_ERROR ? SQLiteError(code: SQLITE_CORRUPT) : error
        }
    }

    private func content() throws(SQLiteError) -> (Database, Content) {
        let database = try Database(path: directory.database)
        try Self.configure(database)
        let application = try database.value("PRAGMA application_id") ?? .null
        let version = try database.value("PRAGMA user_version") ?? .null
        let tables = try database.value("SELECT count(*) FROM sqlite_schema")
        if [application, version, tables].allSatisfy({ $0 == .integer(0) }) { return (database, .nothing) }
        guard application == .integer(Schema.applicationID) else { return (database, .foreign) }
        guard case .integer(let version) = version, version > 0 else { throw SQLiteError(code: SQLITE_CORRUPT) }
        guard version <= Schema.version else { return (database, .newer(version: version)) }
        guard try database.value("PRAGMA quick_check(1)") == .text("ok") else {
            throw SQLiteError(code: SQLITE_CORRUPT)
        }
        let fingerprint = try Self.fingerprint(in: database)
        if let what = try Schema.difference(of: database, from: version) {
            return (database, .misshapen(version: version, what: what))
        }
        return (database, .ours(version: version, fingerprint: fingerprint))
    }

    private static func configure(_ database: Database) throws(SQLiteError) {
        try database.set(SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, to: true)
        try database.set(SQLITE_DBCONFIG_ENABLE_FKEY, to: true)
        try database.set(SQLITE_DBCONFIG_TRUSTED_SCHEMA, to: false)
        try database.set(SQLITE_DBCONFIG_DEFENSIVE, to: true)
        try database.set(SQLITE_DBCONFIG_DQS_DML, to: false)
        try database.set(SQLITE_DBCONFIG_DQS_DDL, to: false)
        for pragma in ["synchronous = FULL", "secure_delete = ON", "cell_size_check = ON", "temp_store = MEMORY"] {
            try database.execute("PRAGMA " + pragma)
        }
    }

    /// Every database of ours has one from the transaction on that made it.
    private static func fingerprint(in database: Database) throws(SQLiteError) -> [UInt8] {
        let table = try database.value("SELECT count(*) FROM sqlite_schema WHERE name = 'meta'")
        guard table == .integer(1),
            case .blob(let fingerprint) = try database.value("SELECT value FROM meta WHERE name = 'key'")
        else { throw SQLiteError(code: SQLITE_CORRUPT) }
        return fingerprint
    }

    private func check(_ key: SealingKey?, _ fingerprint: [UInt8]) throws(StoreError) -> SealingKey {
        guard let key else {
            throw StoreError(
                reason: "The key that \(directory.database) is sealed with is missing: put \(directory.keyFile) back, "
                    + "or hand the key over as the credential scened.key.")
        }
        if key.fingerprint == fingerprint { return key }
        guard credential != nil else {
            throw StoreError(
                reason: "\(directory.database) is sealed with another key than \(directory.keyFile): put that key back."
            )
        }
        let fileFits = (try? KeySource.keyInFile(of: directory))?.fingerprint == fingerprint
        throw StoreError(
            reason: "\(directory.database) is sealed with another key than the credential scened.key: "
                + (fileFits
                    ? "make the key in \(directory.keyFile) that credential, or go without the credential."
                    : "hand over the key that it was sealed with."))
    }

    private func prepare(_ database: Database, from version: Int, _ key: SealingKey) throws(SQLiteError) {
        guard try database.value("PRAGMA journal_mode = WAL") == .text("wal") else {
            throw SQLiteError(code: SQLITE_CANTOPEN)
        }
        try database.execute("PRAGMA journal_size_limit = 4194304")
        if version < Schema.version { try migrate(database, from: version, key) }
        // What an erasing change before a crash left in the log.
        try? database.truncateLog()
        try database.set(SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, to: false)
    }

    private func migrate(_ database: Database, from version: Int, _ key: SealingKey) throws(SQLiteError) {
        try database.execute("BEGIN IMMEDIATE")
        for step in Schema.steps[version...] { try database.execute(step) }
        try database.execute("PRAGMA user_version = \(Schema.version)")
        if version == 0 {
            try database.execute("PRAGMA application_id = \(Schema.applicationID)")
            try database.run("INSERT INTO meta (name, value) VALUES ('key', ?)", [.blob(key.fingerprint)])
        }
        try database.execute("COMMIT")
    }
}
