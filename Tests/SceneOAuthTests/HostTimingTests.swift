import Testing

@testable import SceneOAuth

@Suite struct HostTimingTests {
    @Test(arguments: [
        (nil, nil), ("", nil), ("soon", nil), ("-5", nil), ("0", 1), ("7", 7), (" 120 ", 120),
        ("99999999999999999999999", 86_400), ("Sun, 06 Nov 1994 08:49:37 GMT", 37),
        ("Sunday, 06-Nov-94 08:49:37 GMT", 37), ("Sun Nov  6 08:49:37 1994", 37),
        ("Sun, 06 Nov 1994 08:48:00 GMT", 1), ("Fri, 31 Dec 9999 23:59:59 GMT", 86_400),
    ] as [(String?, Int?)])
    func retryAfter(header: String?, seconds: Int?) {
        // 784111777 is the time of RFC 9110's example.
        #expect(HostTiming.retryAfter(header, wallNow: 784_111_777 - 37) == seconds)
    }

    @Test(arguments: [
        (nil, 3600), ("no-store", 3600), ("public, max-age=7200", 7200), ("Max-Age=\"600\"", 600), ("max-age=1", 300),
        ("max-age=99999999999999999999", 86_400), ("max-age=-1", 3600), ("max-age", 3600), ("s-maxage=900", 3600),
    ] as [(String?, Int)])
    func lifetime(header: String?, seconds: Int) {
        #expect(HostTiming.lifetime(cacheControl: header) == seconds)
    }
}
