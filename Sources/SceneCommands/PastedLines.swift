import Glibc

/// Lines that somebody pastes to standard input while something else is waited for.
struct PastedLines {
    private static let limit = 64 << 10
    private var pending: [UInt8] = []
    private var hasEnded = false

    /// What to wait for, if anything: a background job must not take what is typed for another.
    var descriptors: [pollfd] {
        let isInBackground = isatty(0) == 1 && tcgetpgrp(0) != getpgrp()
        return hasEnded || isInBackground ? [] : [pollfd(fd: 0, events: Int16(POLLIN), revents: 0)]
    }

    /// Reads what is there; gives the lines that are complete, without empty ones.
    mutating func read() -> [String] {
        var chunk = [UInt8](repeating: 0, count: 4096)
        let count = Glibc.read(0, &chunk, chunk.count)
        if count < 0, errno == EINTR || errno == EAGAIN { return [] }
        if count <= 0 { hasEnded = true } else { pending += chunk[..<count] }
        var lines = pending.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        let rest = lines.popLast() ?? []
        pending = hasEnded || rest.count > Self.limit ? [] : Array(rest)
        if hasEnded { lines.append(rest) }
        return lines.map(Self.text).filter { !$0.isEmpty }
    }

    private static func text(_ line: ArraySlice<UInt8>) -> String {
        let isSpace = { (byte: UInt8) in byte <= 0x20 }
        let end = line.lastIndex { !isSpace($0) }.map { $0 + 1 } ?? line.startIndex
        return String(decoding: line[..<end].drop(while: isSpace), as: UTF8.self)
    }
}
