/// What each scenery looks like at 40x12; ends of lines without their spaces.
enum Screens40x12 {
    static func text(_ scenery: Scenery) -> String {
        switch scenery {
        case .connecting:
            """
            Editor









            connecting to scened…
            q quit
            """
        case .signingIn:
            """
            Editor                    scene 0vuqh9y2
             ‹ Back          Log In               ⚙
            Sign in at Production
            https://login.example.com
            To sign in, open in a browser on this
            machine:
            http://127.0.0.1:35977/3-zViGZg7nSBzihlR
            OwZ6C/
            Waiting for you to sign in…


            h hosts  Esc back  q quit
            """
        case .waiting:
            """
            Editor                    scene 0vuqh9y2
            Signing in…
            Login under way, shown by scene 2yb6ught
            7  connected
            8  login started by scene 2yb6ught





            l login  s switch  o logout
            a logout all  t token  c cancel  q quit
            """
        case .signedIn:
            """
            Editor                    scene 0vuqh9y2
            Signed in as Alice Example
              alice · alice@example.com
              https://login.example.com · active
            No login is under way
            7  connected




            l login another  s switch  o logout
            a logout all  t token  c cancel  q quit
            """
        case .severalAccounts:
            """
            Editor                    scene 0vuqh9y2
            Signed in as Bob Example
              bob · bob@example.com
              https://login.example.com · active
            Also Alice Example, カロル・例
            No login is under way
             8  Bob Example signed in
             9  current user Bob Example, was Alice…
            10  カロル・例 signed in
            the current user is Bob Example
            l login another  s switch  o logout
            a logout all  t token  c cancel  q quit
            """
        case .selecting:
            """
            Editor                    scene 0vuqh9y2
            Choose an account
              1 Bob Example (bob)
            > 2 カロル・例 (carol)
            No login is under way
             7  connected
             8  Alice Example signed out
             9  current user nobody, was Alice Exam…
            10  an account is to be chosen

            ↑↓ choose  1-9 pick  Enter switch
            Esc back  q quit
            """
        case .loggedOut:
            """
            Editor                    scene 0vuqh9y2
            Nobody is signed in
            No login is under way
             7  connected
             8  Alice Example signed out (end of sh…
             9  current user nobody, was Alice Exam…
            10  sign-in required


            the login was cancelled
            l login  s switch  o logout
            a logout all  t token  c cancel  q quit
            """
        case .away:
            """
            Editor                    scene 0vuqh9y2
            Signed in as Alice Example
              alice · alice@example.com
              https://login.example.com · active
            Also Bob Example
            No login is under way
            7  connected


            scened is away, reconnecting…
            l login another  s switch  o logout
            a logout all  t token  c cancel  q quit
            """
        case .locked:
            """
            Editor                    scene 0vuqh9y2
            The session is locked
            Signed in as Alice Example
              alice · alice@example.com
              https://login.example.com · active
            No login is under way
            7  connected
            8  locked


            l login another  s switch  o logout
            a logout all  t token  c cancel  q quit
            """
        }
    }
}
