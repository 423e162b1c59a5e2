import Glibc

/// Ends a socket for all processes that hold it: shutdown(2), SHUT_RDWR, whose name Swift does not import.
package func shutDown(_ socket: Int32) {
    shutdown(socket, 2)
}
