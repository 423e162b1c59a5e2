import Glibc
import Testing

@testable import LinuxIO

@Suite struct SystemErrorTests {
    @Test func anErrorNamesItsCall() {
        #expect(SystemError(code: EADDRINUSE, call: "bind").description == "bind: Address already in use")
    }

    @Test func aDescriptorGivenAwayStaysOpen() throws {
        let (near, far) = try socketPair()
        close(far)
        let raw = OwnedDescriptor(near).release()
        #expect(fcntl(raw, F_GETFD) >= 0)
        close(raw)
    }
}
