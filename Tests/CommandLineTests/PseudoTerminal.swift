import Glibc
import Testing

/// Both ends of a terminal (pty(7)), closed with the object.
final class PseudoTerminal {
    let controller: Int32
    let terminal: Int32

    init() throws {
        controller = open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC)
        var locked: Int32 = 0
        var number: UInt32 = 0
        // TIOCSPTLCK and TIOCGPTN, which Glibc's module does not name.
        try #require(ioctl(controller, 0x4004_5431, &locked) == 0 && ioctl(controller, 0x8004_5430, &number) == 0)
        terminal = open("/dev/pts/\(number)", O_RDWR | O_NOCTTY | O_CLOEXEC)
        try #require(terminal >= 0)
    }

    deinit {
        close(terminal)
        close(controller)
    }
}
