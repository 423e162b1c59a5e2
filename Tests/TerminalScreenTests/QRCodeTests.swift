import Testing

@testable import TerminalScreen

@Suite struct QRCodeTests {
    private let address = "https://login.example.com/device/verify?user_code=WDJB-MJHT"

    /// What a code of this text looks like in dark and light modules, with the margin's.
    private func modules(_ lines: [Line], usesColor: Bool) -> [[Bool]] {
        lines.flatMap { line in
            [Set("█▀"), Set("█▄")].map { inked in line.text.map { inked.contains($0) == usesColor } }
        }
    }

    @Test(arguments: [true, false])
    func isFramedAndHasItsFinders(usesColor: Bool) throws {
        let code = try #require(QRCode(address))
        let lines = try #require(code.lines(columns: 80, rows: 24, usesColor: usesColor))
        let rows = modules(lines, usesColor: usesColor)
        #expect(rows.allSatisfy { $0.count == code.size + 8 })
        #expect(code.size == 33)
        // ISO/IEC 18004, section 6.3.3: a ring of dark around light around 3 by 3 dark, in three corners.
        for (x, y) in [(0, 0), (code.size - 7, 0), (0, code.size - 7)] {
            let finder = rows[(y + 4)..<(y + 11)].map { $0[(x + 4)..<(x + 11)].map { $0 ? "#" : "." }.joined() }
            #expect(finder == ["#######", "#.....#", "#.###.#", "#.###.#", "#.###.#", "#.....#", "#######"])
        }
        #expect(rows[..<4].joined().allSatisfy { !$0 } && rows.allSatisfy { !$0[..<4].contains(true) })
    }

    @Test(
        arguments: [
            (80, 21, 41), (41, 21, 41), (40, 21, 37), (80, 20, 37), (37, 19, 37), (36, 24, nil), (80, 18, nil),
            (0, 0, nil),
        ] as [(Int, Int, Int?)])
    func takesTheRoomThereIs(columns: Int, rows: Int, width: Int?) throws {
        let lines = try #require(QRCode(address)).lines(columns: columns, rows: rows, usesColor: false)
        #expect(lines?.first?.width == width)
        #expect((lines?.count ?? 0) <= rows)
    }

    @Test func aTextThatIsTooLongHasNone() {
        #expect(QRCode(String(repeating: "x", count: 2953)) != nil)
        #expect(QRCode(String(repeating: "x", count: 2954)) == nil)
        #expect(QRCode("") == nil)
    }
}
