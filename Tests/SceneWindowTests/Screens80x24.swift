/// What each scenery looks like at 80x24; ends of lines without their spaces.
enum Screens80x24 {
    static func text(_ scenery: Scenery) -> String {
        switch scenery {
        case .connecting:
            """
             Editor · app notes
            ────────────────────────────────────────────────────────────────────────────────



















            ────────────────────────────────────────────────────────────────────────────────
             connecting to scened…
             q quit
            """
        case .signingIn:
            """
             Editor · app notes                                              scene 0vuqh9y2
             ‹ Back                              Log In                       ⚙ Login hosts
            ────────────────────────────────────────────────────────────────────────────────

             Sign in at Production
             https://login.example.com

             To sign in, open in a browser on this machine:
             http://127.0.0.1:35977/3-zViGZg7nSBzihlROwZ6C/

             Waiting for you to sign in…












             h hosts  Esc back  q quit
            """
        case .waiting:
            """
             Editor · app notes                                              scene 0vuqh9y2
            ────────────────────────────────────────────────────────────────────────────────
             Signing in…

             Login under way, shown by scene 2yb6ught

             Events
               08:05:09  7  connected
               08:05:18  8  login started by scene 2yb6ught












            ────────────────────────────────────────────────────────────────────────────────

             l login  s switch  o logout  a logout all  t token  c cancel  q quit
            """
        case .signedIn:
            """
             Editor · app notes                                              scene 0vuqh9y2
            ────────────────────────────────────────────────────────────────────────────────
             Signed in as Alice Example
               alice · alice@example.com
               https://login.example.com
               active

             No login is under way

             Events
               08:05:09  7  connected










            ────────────────────────────────────────────────────────────────────────────────

             l login another  s switch  o logout  a logout all  t token  c cancel  q quit
            """
        case .severalAccounts:
            """
             Editor · app notes                                              scene 0vuqh9y2
            ────────────────────────────────────────────────────────────────────────────────
             Signed in as Bob Example
               bob · bob@example.com
               https://login.example.com
               active

             Also signed in
               Alice Example (alice) · active
               カロル・例 (carol) · active

             No login is under way

             Events
               08:05:09   7  connected
               08:05:18   8  Bob Example signed in
               08:05:19   9  current user Bob Example, was Alice Example
               08:05:10  10  カロル・例 signed in



            ────────────────────────────────────────────────────────────────────────────────
             the current user is Bob Example
             l login another  s switch  o logout  a logout all  t token  c cancel  q quit
            """
        case .selecting:
            """
             Editor · app notes                                              scene 0vuqh9y2
            ────────────────────────────────────────────────────────────────────────────────
             Choose an account
               1 Bob Example (bob)
             > 2 カロル・例 (carol)

             No login is under way

             Events
               08:05:09   7  connected
               08:05:18   8  Alice Example signed out
               08:05:19   9  current user nobody, was Alice Example
               08:05:10  10  an account is to be chosen








            ────────────────────────────────────────────────────────────────────────────────

             ↑↓ choose  1-9 pick  Enter switch  Esc back  q quit
            """
        case .loggedOut:
            """
             Editor · app notes                                              scene 0vuqh9y2
            ────────────────────────────────────────────────────────────────────────────────
             Nobody is signed in

             No login is under way

             Events
               08:05:09   7  connected
               08:05:18   8  Alice Example signed out (end of shift)
               08:05:19   9  current user nobody, was Alice Example
               08:05:10  10  sign-in required










            ────────────────────────────────────────────────────────────────────────────────
             the login was cancelled
             l login  s switch  o logout  a logout all  t token  c cancel  q quit
            """
        case .away:
            """
             Editor · app notes                                              scene 0vuqh9y2
            ────────────────────────────────────────────────────────────────────────────────
             Signed in as Alice Example
               alice · alice@example.com
               https://login.example.com
               active

             Also signed in
               Bob Example (bob) · active

             No login is under way

             Events
               08:05:09  7  connected







            ────────────────────────────────────────────────────────────────────────────────
             scened is away, reconnecting…
             l login another  s switch  o logout  a logout all  t token  c cancel  q quit
            """
        case .locked:
            """
             Editor · app notes                                              scene 0vuqh9y2
            ────────────────────────────────────────────────────────────────────────────────
             The session is locked
             Signed in as Alice Example
               alice · alice@example.com
               https://login.example.com
               active

             No login is under way

             Events
               08:05:09  7  connected
               08:05:18  8  locked








            ────────────────────────────────────────────────────────────────────────────────

             l login another  s switch  o logout  a logout all  t token  c cancel  q quit
            """
        }
    }
}
