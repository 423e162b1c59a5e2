import Glibc

package enum StandardDescriptors {
    /// Lest a socket, an epoll or a database become standard output: what of 0 to 2 was closed at the start is opened on
    /// nothing. Reading from it ends at once, and writing to it fails with EBADF as before.
    package static func openClosed() {
        while true {
            let descriptor = open("/dev/null", O_RDONLY)
            if descriptor > 2 { close(descriptor) }
            if descriptor > 2 || descriptor < 0 { return }
        }
    }
}
