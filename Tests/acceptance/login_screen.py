"""The login screen in a real browser, and what is asked of every page on it."""

import glob
import json
import os

from chromium import WIDTHS

VENV = os.path.join(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))), ".venv")


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


def judge(window, name):
    """The page as it is shown now: at both widths, dark and light, accessible and not wider than the window.

    Where SCENED_SCREENSHOTS names a directory, pictures of it go there.
    """
    pictures = os.environ.get("SCENED_SCREENSHOTS")
    for width in WIDTHS:
        for dark in (False, True):
            window.look(width, dark)
            look = f"{name}, {width}, {'dark' if dark else 'light'}"
            assert window.run("document.documentElement.scrollWidth <= innerWidth"), f"{look} is wider than its window"
            if pictures:
                window.picture(f"{pictures}/{name}-{width}-{'dark' if dark else 'light'}.png")
            assert violations(window) == [], look
    assert window.complaints() == [], name


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
