"""A user with a browser, who opens login screens and signs in at providers without being asked twice."""

import html
import http.client
import os
import re
import sys
import urllib.parse

from scenes import eventually

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "idp"))
from browser import Browser  # noqa: E402

PASSWORDS = {user: f"{user}-pass-1" for user in ("alice", "bob", "carol", "dave")}


def get(url, headers=(), timeout=20, body=None):
    """One GET, or POST of a body, as it is: status, headers and body. An address that closes without an answer gives
    status 0."""
    parts = urllib.parse.urlsplit(url)
    connection = http.client.HTTPConnection(parts.hostname, parts.port, timeout=timeout)
    try:
        target = urllib.parse.urlunsplit(("", "", parts.path, parts.query, ""))
        connection.request("GET" if body is None else "POST", target, body, dict(headers))
        answer = connection.getresponse()
        return answer.status, answer.headers, answer.read()
    except (http.client.HTTPException, ConnectionError):
        return 0, {}, b""
    finally:
        connection.close()


def form_token(page):
    """What the login screen's forms are to carry."""
    return re.search(r'name="token" value="([^"]+)"', page).group(1)


def way_on(page):
    """Where the login screen's page on the way sends the browser; None as long as that is not known."""
    found = re.search(r'http-equiv="refresh" content="0;url=(\w[^:"]*:[^"]+)"', page)
    return found and html.unescape(found.group(1))


def leave_screen(login_screen):
    """Press the login screen's button; the login host's address, None where the screen cannot be had whole."""
    status, _, page = get(login_screen)
    page = page.decode()
    if status != 200 or not page.endswith("</html>\n"):
        return None
    fields = urllib.parse.urlencode({"token": form_token(page), "account": account_name(page)})
    get(login_screen + "go", {"Content-Type": "application/x-www-form-urlencoded"}, body=fields)
    return way_on(get(login_screen + "go")[2].decode())


def account_name(page):
    """What the login screen has filled in."""
    return html.unescape(re.search(r'name="account"[^>]* value="([^"]*)"', page).group(1))


class Visitor:
    def __init__(self, user="alice"):
        self.user = user
        self._browser = Browser(user, PASSWORDS.get(user))

    def open(self, login_screen, account=None, meanwhile=lambda: None):
        """Open the login screen and press its button; the provider's address that it sends the browser to.

        `meanwhile` happens while the user looks at it.
        """
        screen = self._fetch(login_screen)
        text = screen.body.decode()
        fields = [("token", form_token(text)), ("account", account_name(text) if account is None else account)]
        meanwhile()
        pressed = self._fetch(urllib.parse.urljoin(login_screen, "go"), fields)
        assert pressed.status == 303, f"{pressed.status} behind the login screen's button"
        going = urllib.parse.urljoin(login_screen, pressed.headers["Location"])
        # Until the provider is known, the page asks to be loaded again.
        return eventually(
            lambda: way_on(self._fetch(going).body.decode()), 20, "the login screen sends to the provider")

    def _fetch(self, address, fields=None):
        page = self._browser.fetch(address, fields)
        assert page.status < 400, f"{page.status} from the login screen: {page.body[:500]}"
        return page

    def authorize(self, authorization_uri):
        """Sign in at the provider; the callback's address, not yet visited."""
        return self._browser.drive(authorization_uri)

    def deliver(self, callback):
        """Visit the callback; the page that the user sees at the end."""
        page = self._browser.fetch(callback)
        if page.headers.get("Location"):
            page = self._browser.fetch(urllib.parse.urljoin(callback, page.headers["Location"]))
        return page

    def sign_in(self, login_screen):
        page = self.deliver(self.authorize(self.open(login_screen)))
        assert page.status == 200, f"{page.status} at the end of the sign-in: {page.body[:500]}"
        return page


if __name__ == "__main__":
    # As another user's browser: visitor.py USER LOGIN_SCREEN
    Visitor(sys.argv[1]).sign_in(sys.argv[2])
