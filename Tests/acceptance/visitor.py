"""A user with a browser, who opens login screens and signs in at providers without being asked twice."""

import http.client
import os
import sys
import urllib.parse

from scenes import eventually

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "idp"))
from browser import Browser  # noqa: E402

PASSWORDS = {user: f"{user}-pass-1" for user in ("alice", "bob", "carol", "dave")}


def get(url, headers=(), timeout=20):
    """One GET, as it is: status, headers and body. An address that closes without an answer gives status 0."""
    parts = urllib.parse.urlsplit(url)
    connection = http.client.HTTPConnection(parts.hostname, parts.port, timeout=timeout)
    try:
        connection.request("GET", urllib.parse.urlunsplit(("", "", parts.path, parts.query, "")), headers=dict(headers))
        answer = connection.getresponse()
        return answer.status, answer.headers, answer.read()
    except (http.client.HTTPException, ConnectionError):
        return 0, {}, b""
    finally:
        connection.close()


class Visitor:
    def __init__(self, user="alice"):
        self.user = user
        self._browser = Browser(user, PASSWORDS.get(user))

    def open(self, login_screen):
        """Open the login screen; the provider's address that it sends the browser to."""
        def sent():
            page = self._browser.fetch(login_screen)
            assert page.status < 400, f"{page.status} from the login screen: {page.body[:500]}"
            # Until the provider is known, the page asks to be loaded again.
            return page.headers.get("Location")
        return urllib.parse.urljoin(login_screen, eventually(sent, 20, "the login screen sends to the provider"))

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
