"""The login screen in a real browser, and what is asked of every page on it."""

import contextlib
import functools
import glob
import json
import os
import re

from daemon import ROOT

DISCOVERY = "/.well-known/openid-configuration"

VENV = os.path.join(ROOT, ".venv")


def host(address, label):
    return f"[LoginHost]\nURL={address}\nLabel={label}\n"


@contextlib.contextmanager
def login(daemon, window, method="LoginIfRequired", **options):
    """A scene that asks for a login, whose screen a user has opened."""
    with daemon.scene() as scene:
        call = scene.log_in(method, **options)
        window.open(call.wait_progress("presenting")["loginScreen"])
        window.wait("document.querySelector('h1') !== null")
        yield scene, call


def signed_in(call):
    return call.wait()["progress"]["account"]


def choose(window, address):
    """Behind the gear."""
    window.follow(".settings")
    window.follow(f"button[name=select][value={json.dumps(address)}]")


def axe_core():
    """axe-core as the package for Playwright carries it; nothing else of that package is used."""
    found = glob.glob(f"{VENV}/lib/python3*/site-packages/axe_playwright_python/axe.min.js")
    assert found, "no axe-core: Tests/run makes .venv with it"
    with open(found[0]) as file:
        return file.read()


def violations(window):
    """What axe-core finds on the page that is serious or worse."""
    window.run(axe_core() + "; 0")
    found = json.loads(window.run("axe.run().then(r => JSON.stringify(r.violations))"))
    return [(v["id"], v["impact"], [node["html"] for node in v["nodes"]]) for v in found
            if v["impact"] in ("serious", "critical", "moderate")]


@functools.cache
def messages(language):
    """Key to the parts of a text that nothing is filled into."""
    with open(f"{ROOT}/Sources/SceneLogin/Messages/{language}.messages") as file:
        texts = dict(line.strip().split(" = ", 1) for line in file if " = " in line and not line.startswith("#"))
    return {key: [part.strip() for part in re.split(r"{\w+}", words) if re.search(r"\w", part)]
            for key, words in texts.items()}


def text(language, key):
    return messages(language)[key]


def untranslated(window, *data):
    """What can be read on the page that is neither a text of its language, nor data, nor marked as another language's."""
    read = window.run("""(() => {
        const texts = [document.title], walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
        while (walker.nextNode()) {
            if (!walker.currentNode.parentElement.closest("bdi, [lang]:not(html)")) texts.push(walker.currentNode.data)
        }
        for (const name of ["aria-label", "title", "alt", "placeholder"]) {
            for (const one of document.querySelectorAll(`[${name}]`)) texts.push(one.getAttribute(name))
        }
        return texts
    })()""")
    texts = messages(window.run("document.documentElement.lang")).values()
    known = sorted({part for parts in texts for part in parts} | set(data), key=len, reverse=True)
    def rest(words):
        return functools.reduce(lambda left, part: left.replace(part, " "), known, words)
    return [words for words in read if re.search(r"[^\W\d]", rest(words))]


def fits(window, look):
    """Nothing is beyond the window's right edge, or cut off in its own box."""
    assert window.run("document.documentElement.scrollWidth <= innerWidth"), f"{look} is wider than its window"
    cut = window.run("""[...document.querySelectorAll("body *")].filter(e => getComputedStyle(e).overflowX !== "visible"
        && e.tagName !== "INPUT" && e.clientWidth > 1 && e.scrollWidth > e.clientWidth + 1 && !e.closest("svg")).map(e => e.outerHTML)""")
    assert cut == [], f"{look}: {cut}"


def picture(window, name):
    """Where SCENED_SCREENSHOTS names a directory."""
    directory = os.environ.get("SCENED_SCREENSHOTS")
    if directory:
        window.picture(f"{directory}/{name}.png")


def judge(window, name, *data):
    """The page as it is shown now: at both widths, dark and light, accessible and not wider than the window.

    `data` is what comes from the configuration.
    """
    for width in ("phone", "wide"):
        for dark in (False, True):
            window.look(width, dark)
            look = f"{name}-{width}-{'dark' if dark else 'light'}"
            fits(window, look)
            picture(window, look)
            assert violations(window) == [], look
    # As with text of twice the size, and as a wide window magnified four times.
    window.text_size(32)
    fits(window, f"{name} with large text")
    window.look("phone", False)
    fits(window, f"{name} with large text on a phone")
    window.text_size(16)
    window.look("narrow", False)
    fits(window, f"{name} in a narrow window")
    picture(window, f"{name}-narrow-light")
    window.look("wide", False)
    assert window.complaints() == [], name
    assert untranslated(window, *data) == [], name


def sign_in_at_provider(window, user="alice"):
    """django-oauth-toolkit's pages: who one is, then consent."""
    window.wait("document.querySelector('input[type=password]') !== null", "the provider's form")
    window.fill("input[name=username]", user)
    window.fill("input[type=password]", f"{user}-pass-1")
    window.click("form [type=submit]")
    consent(window, window.click)


def consent(window, press):
    """It is asked for where the user has not given it before."""
    button = "input[name=allow]"
    window.wait(f"document.querySelector('{button}, .card') !== null", "consent or end")
    if window.has(button):
        press(button)
