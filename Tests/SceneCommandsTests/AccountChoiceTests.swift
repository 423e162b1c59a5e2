import SceneModel
import Testing

@testable import SceneCommands

@Suite struct AccountChoiceTests {
    private func choice(_ accounts: [Account], current: Account? = nil) -> AccountChoice {
        AccountChoice(accounts: accounts, current: current, line: "scenectl switch")
    }

    @Test(arguments: [
        ("a1", "a1"), ("ada", "a1"), ("ada@example.com", "a1"), ("ADA@EXAMPLE.COM", "a1"), ("bob", "b2"),
        ("gone", "gone"), ("", ""),
    ])
    func findsByIdentifierUsernameOrEmail(_ word: String, _ identifier: String) throws {
        #expect(try choice([Fixture.ada, Fixture.bob]).identifier(of: word) == identifier)
    }

    @Test func anIdentifierGoesBeforeAName() throws {
        var trickster = Fixture.bob
        trickster.username = "a1"
        #expect(try choice([trickster, Fixture.ada]).identifier(of: "a1") == "a1")
    }

    @Test func twoThatFitAreNamed() {
        var elsewhere = Fixture.ada
        elsewhere.id = "x9"
        #expect {
            try choice([Fixture.ada, elsewhere]).identifier(of: "ada")
        } throws: { error in
            "\(error)"
                == "Several accounts are called 'ada' (a1: Ada Lovelace (ada), x9: Ada Lovelace (ada)). "
                + "Try: scenectl switch a1"
        }
    }
}
