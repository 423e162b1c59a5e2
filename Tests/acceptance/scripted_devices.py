"""The device endpoint of the scripted provider (RFC 8628): every poll is answered as a test wants it, and its time kept."""

import secrets
import threading
import time

GRANT = "urn:ietf:params:oauth:grant-type:device_code"


class Devices:
    """`script` answers the polls of each code, one after another; then the user has not used it yet, until `approve`.

    An answer is an OAuth error code, an HTTP status, or "drop": the connection breaks off.
    """

    def __init__(self, provider, script=(), **response):
        self.provider = provider
        self.script = list(script)
        # Of the response; None leaves a member out.
        self.response = {"interval": 1, "expires_in": 300, **response}
        # What each request for a code said.
        self.asked = []
        # When each poll came, by device code.
        self.polls = {}
        # Closed, it holds back the answer that carries tokens.
        self.gate = threading.Event()
        self.gate.set()
        self.granting = threading.Event()
        self._codes = {}
        self._changed = threading.Condition()
        provider.devices = self

    def authorize(self, asked):
        device, user = secrets.token_urlsafe(24), f"{secrets.token_hex(2)}-{secrets.token_hex(2)}".upper()
        with self._changed:
            self.asked.append(asked)
            self.provider.secrets.add(device)
            self._codes[device] = {"user_code": user, "script": list(self.script), "user": None, "done": False}
            self.polls[device] = []
        address = self.provider.issuer + "/device"
        answer = {"device_code": device, "user_code": user, "verification_uri": address,
                  "verification_uri_complete": f"{address}?user_code={user}", **self.response}
        return 200, {name: value for name, value in answer.items() if value is not None}

    def token(self, asked):
        now = time.monotonic()
        with self._changed:
            code = self._codes.get(asked.get("device_code"))
            if code is None or code["done"]:
                return 400, {"error": "invalid_grant"}
            self.polls[asked["device_code"]].append(now)
            self._changed.notify_all()
            answer = code["script"].pop(0) if code["script"] else None
            if answer is None and code["user"]:
                code["done"] = True
            elif answer is None:
                answer = "authorization_pending"
        if answer == "drop":
            return None
        if isinstance(answer, int):
            return answer, {}
        if answer:
            return 400, {"error": answer}
        self.granting.set()
        self.gate.wait(30)
        with self.provider._lock:
            return 200, self.provider._tokens(code["user"])[1]

    def approve(self, user_code, user="alice"):
        with self._changed:
            (code,) = [code for code in self._codes.values() if code["user_code"] == user_code]
            code["user"] = user

    @property
    def codes(self):
        return list(self.polls)

    def wait_polls(self, count, device=None, timeout=60):
        """Until the code was asked for this often; the seconds between one poll and the next."""
        def times():
            return self.polls[device or self.codes[-1]]
        with self._changed:
            assert self._changed.wait_for(lambda: self.polls and len(times()) >= count, timeout), self.polls
            return [later - earlier for earlier, later in zip(times(), times()[1:])]
