import Glibc
import SceneSession

/// A poll(2) loop over standard input and what other threads want done, until standard input ends.
final class RunLoop: @unchecked Sendable {
    private let thread = pthread_self()
    private var wakeup: [Int32] = [-1, -1]
    private var mutex = pthread_mutex_t()
    private var waiting: [@Sendable () -> Void] = []

    init() {
        pthread_mutex_init(&mutex, nil)
        pipe(&wakeup)
    }

    var isOwnThread: Bool { pthread_equal(thread, pthread_self()) != 0 }

    /// From any thread.
    func perform(_ work: @escaping @Sendable () -> Void) {
        pthread_mutex_lock(&mutex)
        waiting.append(work)
        pthread_mutex_unlock(&mutex)
        var byte: UInt8 = 0
        write(wakeup[1], &byte, 1)
    }

    func run(_ take: (String) -> Void) {
        var input: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 4096)
        while true {
            var polls = [STDIN_FILENO, wakeup[0]].map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
            poll(&polls, 2, -1)
            if polls[1].revents != 0 {
                read(wakeup[0], &chunk, chunk.count)
                performWaiting()
            }
            guard polls[0].revents != 0 else { continue }
            let count = read(STDIN_FILENO, &chunk, chunk.count)
            guard count > 0 else { return }
            input += chunk[..<count]
            while let end = input.firstIndex(of: 10) {
                take(String(decoding: input[..<end], as: UTF8.self))
                input.removeSubrange(...end)
            }
        }
    }

    private func performWaiting() {
        pthread_mutex_lock(&mutex)
        let work = waiting
        waiting = []
        pthread_mutex_unlock(&mutex)
        for item in work { item() }
    }
}
