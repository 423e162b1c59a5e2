import Glibc
import SceneModel

/// All that is configured: the daemon's own settings and the apps.
struct Configuration: Sendable {
    /// A PEM file of certificate authorities to trust beside the system's.
    var certificateFile: String?
    /// Only what is set.
    var quotas: Quota.Settings = [:]
    /// Apps that can be used, by name.
    var apps: [String: AppConfiguration] = [:]
    /// Every app there is a file for, in order, with what is wrong with it.
    var listing: [AppInfo] = []
    var problems: [Problem] = []

    var isBroken: Bool { problems.contains { $0.severity == .error } }

    /// Reads `scened.conf` and `apps.d` below the directories, the first of which counts most: a file there takes the
    /// place of those of its name further down. An app that cannot be used keeps what it had in `previous`. `credentials`
    /// is the service manager's directory of them; `dataDirectories` are those of desktop entries, where they are the user's.
    static func read(
        from directories: [String], previous: Configuration? = nil, credentials: String? = nil,
        dataDirectories: [String]? = nil
    ) -> Configuration {
        var configuration = Configuration()
        configuration.readDaemon(directories, previous: previous)
        var sources: [String: String] = [:]
        for directory in directories {
            for file in confFiles(in: directory + "/apps.d") where sources[file.name] == nil {
                sources[file.name] = file.path
            }
        }
        for (name, path) in sources.sorted(by: { $0.key < $1.key }) {
            configuration.readApp(name, path, directories, previous: previous, credentials: credentials)
        }
        configuration.checkIdentityProviders()
        if let dataDirectories { configuration.checkDesktopEntries(in: dataDirectories) }
        return configuration
    }

    private mutating func readDaemon(_ directories: [String], previous: Configuration?) {
        guard let path = directories.map({ $0 + "/scened.conf" }).first(where: { access($0, F_OK) == 0 }) else {
            return
        }
        guard let file = Self.load(path, &problems) else { return }
        problems += file.problems
        for section in file.sections {
            for assignment in section.assignments {
                if section.name == "Daemon", assignment.key == "CertificateFile" {
                    certificateFile = assignment.value.isEmpty ? nil : assignment.value
                } else if section.name == "Quota", let quota = Quota(key: assignment.key) {
                    readQuota(quota, assignment, path, previous: previous)
                } else {
                    problems.append(
                        Problem(
                            file: path, line: assignment.line,
                            text: "there is no \(assignment.key)= in [\(section.name)]; it is ignored",
                            severity: .warning))
                }
            }
        }
        if let certificateFile, access(certificateFile, R_OK) != 0 {
            problems.append(
                Problem(
                    file: path, line: nil, text: "CertificateFile=\(certificateFile) cannot be read", severity: .error))
        }
    }

    /// A limit that cannot be read stays as it was.
    private mutating func readQuota(
        _ quota: Quota, _ assignment: UnitFile.Assignment, _ path: String, previous: Configuration?
    ) {
        quotas[quota] = assignment.value.isEmpty ? nil : quota.limit(assignment.value) ?? previous?.quotas[quota]
        guard !assignment.value.isEmpty, quota.limit(assignment.value) == nil else { return }
        let form = quota == .bytes ? "a number of bytes from 1 up, also with K, M or G" : "a number from 1 up"
        problems.append(
            Problem(file: path, line: assignment.line, text: "\(quota.key)= is \(form)", severity: .error))
    }

    private mutating func readApp(
        _ name: String, _ path: String, _ directories: [String], previous: Configuration?, credentials: String?
    ) {
        var found: [Problem] = []
        var dropIns: [String: String] = [:]
        for directory in directories {
            for file in Self.confFiles(in: "\(directory)/apps.d/\(name).conf.d") where dropIns[file.name] == nil {
                dropIns[file.name] = file.path
            }
        }
        let paths = [path] + dropIns.sorted { $0.key < $1.key }.map(\.value)
        let files = paths.compactMap { Self.load($0, &found) }
        var (app, noted) = AppReader.read(name: name, files: files, source: path, credentials: credentials)
        if !Self.isAppName(name) {
            found.append(
                Problem(
                    file: path, line: nil, text: "an app's name is made of letters, digits, - _ and .", severity: .error
                ))
        }
        noted = found + noted
        problems += noted
        if noted.contains(where: { $0.severity == .error }) { app = previous?.apps[name] }
        if let app { apps[name] = app }
        var info = AppInfo()
        info.name = name
        info.displayName = app?.displayName ?? name
        info.source = path
        info.problems = noted.map(\.description)
        listing.append(info)
    }

    private static func isAppName(_ name: String) -> Bool {
        (1...64).contains(name.utf8.count)
            && name.utf8.allSatisfy { $0 == 45 || $0 == 46 || $0 == 95 || isAlphanumeric($0) }
    }

    private static func isAlphanumeric(_ byte: UInt8) -> Bool {
        (48...57).contains(byte) || (65...90).contains(byte) || (97...122).contains(byte)
    }

    private static func load(_ path: String, _ problems: inout [Problem]) -> UnitFile? {
        switch SmallFile.text(path) {
        case .success(let text):
            return UnitFile(text, file: path)
        case .failure(let fault):
            problems.append(Problem(file: path, line: fault.line, text: fault.text, severity: .error))
            return nil
        }
    }

    /// The directory's files that end in `.conf`, without the ending.
    private static func confFiles(in directory: String) -> [(name: String, path: String)] {
        guard let stream = opendir(directory) else { return [] }
        defer { closedir(stream) }
        var files: [(name: String, path: String)] = []
        while let entry = readdir(stream) {
            let file = withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
                String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            guard file.hasSuffix(".conf"), !file.hasPrefix(".") else { continue }
            var status = stat()
            guard stat("\(directory)/\(file)", &status) == 0, status.st_mode & S_IFMT != S_IFDIR else { continue }
            files.append((String(file.dropLast(5)), "\(directory)/\(file)"))
        }
        return files.sorted { $0.name < $1.name }
    }
}

/// A file of a bounded size, read whole.
enum SmallFile {
    struct Fault: Error {
        var line: Int?
        var text: String
    }

    static let limit = 1 << 20

    static func bytes(_ path: String, limit: Int = limit) -> Result<[UInt8], Fault> {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK)
        guard descriptor >= 0 else {
            return .failure(Fault(text: "cannot be read: \(String(cString: strerror(errno)))"))
        }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            return .failure(Fault(text: "is no regular file"))
        }
        guard status.st_size <= limit else {
            let size = limit < 1 << 20 ? "\(limit >> 10) KiB" : "\(limit >> 20) MiB"
            return .failure(Fault(text: "is larger than \(size)"))
        }
        var content = [UInt8](repeating: 0, count: Int(status.st_size))
        var filled = 0
        while filled < content.count {
            let count = content.withUnsafeMutableBytes { buffer in
                buffer.baseAddress.map { Glibc.read(descriptor, $0 + filled, buffer.count - filled) } ?? 0
            }
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else {
                return .failure(Fault(text: "cannot be read: \(String(cString: strerror(errno)))"))
            }
            if count == 0 { break }
            filled += count
        }
        return .success(Array(content.prefix(filled)))
    }

    static func text(_ path: String) -> Result<String, Fault> {
        bytes(path).flatMap { bytes in
            String(validating: bytes, as: UTF8.self).map(Result.success)
                ?? .failure(Fault(line: strangeLine(bytes), text: "is not written in UTF-8"))
        }
    }

    /// The first that is not UTF-8.
    private static func strangeLine(_ bytes: [UInt8]) -> Int? {
        let lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        return lines.firstIndex { String(validating: $0, as: UTF8.self) == nil }.map { $0 + 1 }
    }
}
