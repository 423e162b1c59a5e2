"""The two real OpenID providers of ../idp, each behind a recording proxy."""

import contextlib
import json
import os
import signal
import socket
import subprocess
import urllib.error
import urllib.request

from proxy import RecordingProxy

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
IDP = os.path.join(ROOT, "Tests", "idp")


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Provider:
    """`name` is dot or glewlwyd. What takes long to install is kept in its directory, the database is new."""

    REDIRECT = {"dot": "http://127.0.0.1/callback", "glewlwyd": "http://127.0.0.1:8765/callback"}
    AUTHORIZE = {"dot": "/o/authorize", "glewlwyd": "/api/oidc/auth"}
    DATABASE = {"dot": ["db.sqlite3"], "glewlwyd": ["populated", "glewlwyd.sqlite"]}

    def __init__(self, name, directory=None, **environment):
        self.name = name
        self.directory = directory or os.path.join(ROOT, ".cache", "idp", name)
        for file in self.DATABASE[name]:
            if os.path.exists(os.path.join(self.directory, file)):
                os.unlink(os.path.join(self.directory, file))
        port, listen = free_port(), free_port()
        script = subprocess.Popen(
            [os.path.join(IDP, name + "-up"), str(port), self.directory], stdout=subprocess.PIPE, text=True,
            env={**os.environ, "LISTEN_PORT": str(listen), **environment}, start_new_session=True)
        try:
            output = script.communicate(timeout=300)[0]
            assert script.returncode == 0, f"{name}-up failed: {script.returncode}"
        except BaseException:
            # What it has started is in its process group.
            with contextlib.suppress(ProcessLookupError):
                os.killpg(script.pid, signal.SIGKILL)
            raise
        values = dict(line.split("=", 1) for line in output.splitlines())
        self._pid = int(values["pid"])
        self.issuer = values["issuer"]
        self.redirect_uri = self.REDIRECT[name]
        self.proxy = RecordingProxy(port, listen)

    def configuration(self, name="notes", **keys):
        """An app's configuration, for apps.d."""
        app = {"Name": name.title(), "ClientID": "scene", "Scopes": "openid profile email",
               "RedirectURI": self.redirect_uri, **keys}
        lines = ["[App]", *(f"{key}={value}" for key, value in app.items()), "[LoginHost]", f"URL={self.issuer}",
                 "Label=Test"]
        return "\n".join(lines) + "\n"

    def authorizations(self):
        """The `state` of each authorization request that has reached the provider, once each."""
        return {r.query["state"] for r in self.proxy.of(self.AUTHORIZE[self.name]) if "state" in r.query}

    def token_requests(self, grant_type):
        return [r for r in self.proxy.of("/token", "POST") if r.form.get("grant_type") == grant_type]

    def secrets(self):
        """Every token, code and verifier that has passed between the provider and its clients."""
        found = set()
        for request in self.proxy.of("/token", "POST"):
            answer = json.loads(request.answer) if request.status == 200 else {}
            found |= {answer.get(name) for name in ("access_token", "refresh_token", "id_token")}
            found |= {request.form.get(name) for name in ("code", "code_verifier", "refresh_token")}
        return found - {None}

    def userinfo(self, token):
        """The status that the provider answers a use of this access token with."""
        request = urllib.request.Request(self.issuer + "/userinfo/", headers={"Authorization": f"Bearer {token}"})
        try:
            with urllib.request.urlopen(request, timeout=20) as answer:
                return answer.status
        except urllib.error.HTTPError as error:
            return error.code

    def stop(self):
        self.proxy.stop()
        os.kill(self._pid, signal.SIGTERM)
