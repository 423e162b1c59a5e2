extension Page {
    /// Ours; the app's own comes behind it and may change all of it.
    static let style = """
        :root { color-scheme: light dark; --ground: #f2f4f6; --card: #fff; --text: #1c2126; --quiet: #51595f;
          --line: #848d97; --accent: #0b5cad; --on-accent: #fff; --tone: #51595f; --fault: #b3261e; --bar: var(--card);
          --bar-text: var(--text); --bar-font: system-ui, sans-serif; --bar-size: 1.125rem; }
        body.success { --tone: #18794e; }
        body.failure { --tone: var(--fault); }
        @media (prefers-color-scheme: dark) {
          :root { --ground: #14171a; --card: #1f2428; --text: #e8ebee; --quiet: #aeb7bf; --line: #7d8791;
            --accent: #8ec2ff; --on-accent: #08213d; --tone: #aeb7bf;
            --fault: #ff8a80; }
          body.success { --tone: #5bc48c; }
        }
        * { box-sizing: border-box; }
        body { margin: 0; min-height: 100vh; min-height: 100dvh; display: flex; flex-direction: column; background: var(--ground);
          color: var(--text); font: 1rem/1.5 system-ui, sans-serif; overflow-wrap: anywhere; }
        .bar { display: grid; grid-template-columns: minmax(min-content, 1fr) minmax(0, auto) minmax(min-content, 1fr);
          align-items: center; gap: .5rem; min-height: 3.25rem; padding: .25rem .5rem; background: var(--bar);
          color: var(--bar-text); font-family: var(--bar-font); font-size: var(--bar-size);
          border-bottom: 1px solid rgb(0 0 0 / .2); }
        .bar .title { margin: 0; font-weight: 600; line-height: 1.25; text-align: center; }
        .bar .trailing { justify-self: end; }
        .bar a, .bar button { display: inline-flex; align-items: center; justify-content: center; gap: .35rem;
          min-width: 2.75rem; min-height: 2.75rem; padding: 0 .5rem; border: 0; border-radius: .5rem;
          background: none; color: inherit; font: inherit; font-size: min(var(--bar-size), 1.125rem);
          overflow-wrap: normal; text-decoration: none; cursor: pointer; }
        .bar svg, .bar img { width: 1.5rem; height: 1.5rem; }
        main { width: 100%; max-width: 32rem; margin: auto; padding: 1rem; }
        .card { padding: 1.5rem; background: var(--card); border-radius: .75rem; border-top: .3rem solid var(--tone);
          box-shadow: 0 1px 6px rgb(0 0 0 / .18); }
        .logo { display: block; max-width: 12rem; max-height: 6rem; margin: 0 auto 1rem; }
        h1 { margin: 0 0 .5rem; font-size: 1.4rem; line-height: 1.25; }
        .success h1, .failure h1 { color: var(--tone); }
        h2 { margin: 1.75rem 0 .5rem; font-size: 1.1rem; line-height: 1.25; }
        p { margin: .5rem 0 0; }
        .quiet { color: var(--quiet); font-size: .9rem; }
        .alert { margin: .75rem 0; padding: .75rem 1rem; border: 1px solid var(--fault); border-left-width: .35rem;
          border-radius: .5rem; }
        .alert p { margin: 0; }
        .alert p + p { margin-top: .25rem; }
        label { display: block; margin-top: 1rem; font-weight: 600; }
        input { width: 100%; min-height: 2.75rem; margin-top: .25rem; padding: .5rem .75rem;
          border: 1px solid var(--line); border-radius: .5rem; background: var(--card); color: var(--text);
          font: inherit; }
        [aria-invalid] { border-color: var(--fault); border-width: 2px; }
        main button, .go { display: inline-block; min-height: 2.75rem; padding: .5rem 1rem;
          border: 1px solid var(--line); border-radius: .5rem; background: var(--card); color: var(--text);
          font: inherit; text-decoration: none; cursor: pointer; }
        main button.primary, .go { width: 100%; margin-top: 1.25rem; border-color: var(--accent);
          background: var(--accent); color: var(--on-accent); font-weight: 600; text-align: center; }
        .hosts { margin: 1rem 0 0; padding: 0; list-style: none; }
        .hosts li { display: flex; flex-wrap: wrap; gap: .5rem; align-items: stretch; margin-top: .5rem; }
        .hosts button.host { flex: 1 1 12rem; text-align: start; }
        .hosts button[aria-current] { border-color: var(--accent); border-width: 2px; }
        .hosts .name, .hosts .address, .hosts .note { display: block; }
        .hosts .name { font-weight: 600; }
        .hosts [aria-current] .note { color: var(--accent); font-weight: 600; }
        .hosts [aria-current] .note::before { content: "\\2713\\a0"; content: "\\2713\\a0" / ""; }
        .working { height: .25rem; margin-top: 1rem; border-radius: .125rem; background: var(--accent); opacity: .5; }
        @media (prefers-reduced-motion: no-preference) {
          .working { transform-origin: left; animation: working 1s ease-in-out infinite; }
          @keyframes working { from { transform: scaleX(0); opacity: 1; } to { transform: none; opacity: 0; } }
        }
        @media (hover: hover) {
          main button:hover, .go:hover { border-color: currentColor; }
          main button.primary:hover, .go:hover { text-decoration: underline; }
          .bar a:hover, .bar button:hover { background: rgb(128 128 128 / .25); }
        }
        @media (max-width: 22rem) {
          .bar .back span { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%);
            white-space: nowrap; }
          main { padding: .5rem; hyphens: auto; }
          bdi { hyphens: manual; }
          .card { padding: 1rem .75rem; }
          main button, .go { padding: .5rem .75rem; }
        }
        :focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
        .bar :focus-visible { outline-color: currentColor; outline-offset: -3px; }
        @media (forced-colors: active) {
          .card, .working { border: 1px solid; }
          .hosts button[aria-current] { border-color: Highlight; }
        }
        @media print {
          body { min-height: 0; background: none; }
          .bar, main button, main button.primary, .go { background: none; color: #000; border-color: #000; }
          .card { box-shadow: none; }
        }
        """
}
