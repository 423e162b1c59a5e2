"""A small OpenID provider of our own: signs everybody in at once, and remembers every secret that it gave out.

It is for what real providers are too slow for, or cannot be asked: which tokens exist, whether a refresh token
was used twice, what a late or missing answer does.
"""

import base64
import contextlib
import copy
import hashlib
import json
import secrets
import threading
import time
import urllib.parse
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import scripted_devices
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import padding, rsa

KEY = rsa.generate_private_key(public_exponent=65537, key_size=2048)


def b64(data):
    if isinstance(data, int):
        data = data.to_bytes((data.bit_length() + 7) // 8, "big")
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 1024

    def handle_error(self, request, client_address):
        """A client that has gone is no news."""


class ScriptedProvider:
    """Signs in as the request's login_hint, or as `user`. `lifetime` is the access tokens', in seconds."""

    def __init__(self, lifetime=300):
        self.user = "alice"
        self.lifetime = lifetime
        # Whether a refresh token may be used again whose answer was lost.
        self.forgives = True
        # Whether one that is used again takes all tokens of its grant with it.
        self.revokes_families = False
        # Whether a revocation takes all tokens of the grant with it.
        self.revokes_grants = True
        # Path to the status and JSON object that are answered there, come what may.
        self.instead = {}
        # Every code, token and verifier seen.
        self.secrets = set()
        self.authorizations = self.refreshes = self.revocations = 0
        self.reused = []
        # Every refresh token that it gave out.
        self.given = []
        # What it was told to forget, as it was asked; without this, it offers no revocation.
        self.revoked = []
        self.offers_revocation = True
        # Addresses whose answers are held back: to an event for each that has one, and one that lets it go.
        self._held = {}
        # See scripted_devices.py.
        self.devices = None
        # A refresh token stays good until its successor is used, as with careful providers; unless `forgives` is false.
        self._lock = threading.Lock()
        self._codes, self._access, self._refresh = {}, {}, {}
        self._server = _Server(("127.0.0.1", 0), self._handler())
        self.issuer = f"http://127.0.0.1:{self._server.server_port}"
        threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()

    def stop(self):
        self._server.shutdown()
        self._server.server_close()

    def configuration(self, name="notes", **keys):
        app = {"Name": name.title(), "ClientID": "scene", "Scopes": "openid profile email offline_access",
               "RedirectURI": "http://127.0.0.1/callback", **keys}
        lines = ["[App]", *(f"{key}={value}" for key, value in app.items()), "[LoginHost]", f"URL={self.issuer}",
                 "Label=Scripted"]
        return "\n".join(lines) + "\n"

    def is_good(self, token):
        with self._lock:
            return token in self._access and self._access[token]["end"] > time.monotonic()

    @contextlib.contextmanager
    def holding(self, path):
        """Hold back what `path` answers, though it is done, until the end; gives an event that tells when there is one."""
        arrived, go = self._held[path] = threading.Event(), threading.Event()
        try:
            yield arrived
        finally:
            del self._held[path]
            go.set()

    def grants(self, user):
        """How many grants of a user's are good: each sign-in gives one."""
        with self._lock:
            return len({e["family"] for e in self._refresh.values() if e["user"] == user and not e["dead"]})

    def knows(self, user):
        """Whether it has tokens of that user that were not revoked."""
        with self._lock:
            return any(entry["user"] == user for entry in self._refresh.values())

    def memory(self):
        """What it has given out and counted so far, for `remember`."""
        with self._lock:
            return copy.deepcopy({name: getattr(self, name) for name in self._MEMORY})

    def remember(self, memory):
        with self._lock:
            vars(self).update(copy.deepcopy(memory))

    _MEMORY = ("authorizations", "refreshes", "revocations", "reused", "given", "revoked", "forgives", "instead",
               "_codes", "_access", "_refresh")

    def _parameters(self, path, body, headers):
        """Of a form."""
        return dict(urllib.parse.parse_qsl(body))

    # What the endpoints do: each takes the parameters and gives a status and a JSON object, or bytes and their headers.

    def _discovery(self):
        names = {"authorization": "authorize", "token": "token", "userinfo": "userinfo", "revocation": "revoke"}
        if not self.offers_revocation:
            del names["revocation"]
        if self.devices:
            names["device_authorization"] = "device"
        return 200, {
            "issuer": self.issuer, "jwks_uri": self.issuer + "/jwks", "response_types_supported": ["code"],
            "subject_types_supported": ["public"], "id_token_signing_alg_values_supported": ["RS256"],
            "code_challenge_methods_supported": ["S256"], "token_endpoint_auth_methods_supported": ["none"],
            "grant_types_supported": ["authorization_code", "refresh_token"],
            "authorization_response_iss_parameter_supported": True,
            **{f"{key}_endpoint": f"{self.issuer}/{path}" for key, path in names.items()}}

    def _jwks(self):
        numbers = KEY.public_key().public_numbers()
        return 200, {"keys": [{"kty": "RSA", "use": "sig", "alg": "RS256", "kid": "k", "n": b64(numbers.n),
                               "e": b64(numbers.e)}]}

    def _authorize(self, asked):
        """The callback's address."""
        with self._lock:
            self.authorizations += 1
            code = secrets.token_urlsafe(24)
            self.secrets.add(code)
            self._codes[code] = {**asked, "user": asked.get("login_hint") or self.user}
        answer = {"code": code, "state": asked["state"], "iss": self.issuer}
        return asked["redirect_uri"] + "?" + urllib.parse.urlencode(answer)

    def _tokens(self, user, nonce=None, family=None):
        access, refresh = secrets.token_urlsafe(32), secrets.token_urlsafe(32)
        family = family or secrets.token_hex(8)
        id_token = self._id_token(user, nonce, access)
        self.secrets |= {access, refresh, id_token}
        self.given.append(refresh)
        self._access[access] = {"user": user, "family": family, "end": time.monotonic() + self.lifetime}
        self._refresh[refresh] = {"user": user, "family": family, "successor": None, "dead": False}
        return refresh, {"access_token": access, "token_type": "Bearer", "expires_in": self.lifetime,
                         "refresh_token": refresh, "id_token": id_token, "scope": "openid profile email"}

    def _claims(self, user, nonce):
        now = int(time.time())
        return {"iss": self.issuer, "sub": "sub-" + user, "aud": "scene", "iat": now, "exp": now + 300,
                "preferred_username": user, "name": user.title(), **({"nonce": nonce} if nonce else {})}

    def _id_token(self, user, nonce, access):
        header = {"alg": "RS256", "kid": "k", "typ": "JWT"}
        parts = [b64(json.dumps(part).encode()) for part in (header, self._claims(user, nonce))]
        signature = KEY.sign(".".join(parts).encode(), padding.PKCS1v15(), hashes.SHA256())
        return ".".join([*parts, b64(signature)])

    def _token(self, asked):
        if self.devices and asked.get("grant_type") == scripted_devices.GRANT:
            return self.devices.token(asked)
        with self._lock:
            if asked.get("grant_type") == "authorization_code":
                code = self._codes.pop(asked.get("code"), None)
                verifier = asked.get("code_verifier", "")
                self.secrets.add(verifier)
                if (code is None or code["redirect_uri"] != asked.get("redirect_uri")
                        or b64(hashlib.sha256(verifier.encode()).digest()) != code["code_challenge"]):
                    return 400, {"error": "invalid_grant"}
                return 200, self._tokens(code["user"], code.get("nonce"))[1]
            self.refreshes += 1
            old = self._refresh.get(asked.get("refresh_token"))
            if old is None or old["dead"]:
                self.reused.append(asked.get("refresh_token"))
                if old and self.revokes_families:
                    self._forget(old["family"])
                return 400, {"error": "invalid_grant"}
            for other in self._refresh.values():
                if other["successor"] == asked["refresh_token"]:
                    other["dead"] = True
            refresh, answer = self._tokens(old["user"], family=old["family"])
            old["successor"] = refresh
            old["dead"] = not self.forgives
            return 200, answer

    def _revoke(self, asked):
        with self._lock:
            self.revocations += 1
            self.revoked.append(asked)
            entry = self._refresh.get(asked.get("token")) or self._access.get(asked.get("token"))
            if entry and self.revokes_grants:
                self._forget(entry["family"])
            elif entry:
                for tokens in (self._refresh, self._access):
                    tokens.pop(asked["token"], None)
        return 200, {}

    def _forget(self, family):
        for tokens in (self._refresh, self._access):
            for token in [t for t, e in tokens.items() if e["family"] == family]:
                del tokens[token]

    def _userinfo(self, token):
        with self._lock:
            entry = self._access.get(token)
        if entry is None or entry["end"] < time.monotonic():
            return 401, {"error": "invalid_token"}
        user = entry["user"]
        return 200, {"sub": "sub-" + user, "preferred_username": user, "name": user.title(),
                     "email": user + "@example.com"}

    def _handler(provider):
        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            # Head and body go out one by one; the second would wait for the first to be acknowledged.
            disable_nagle_algorithm = True

            def respond(self, answer):
                held = provider._held.get(urllib.parse.urlsplit(self.path).path)
                if held:
                    arrived, go = held
                    arrived.set()
                    go.wait(60)
                if answer is None:
                    self.close_connection = True
                    return
                status, body, *more = answer
                body = body if isinstance(body, bytes) else json.dumps(body).encode()
                headers = {"Content-Type": "application/json", "Content-Length": str(len(body)), **dict(*more)}
                self.send_response_only(status)
                for name, value in headers.items():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(body)
                # With a greater length, the answer breaks off.
                self.close_connection = headers["Content-Length"] != str(len(body))

            def do_GET(self):
                parts = urllib.parse.urlsplit(self.path)
                if parts.path == "/authorize":
                    self.send_response_only(302)
                    self.send_header("Location", provider._authorize(dict(urllib.parse.parse_qsl(parts.query))))
                    self.send_header("Content-Length", "0")
                    self.end_headers()
                elif parts.path == "/userinfo":
                    self.respond(provider._userinfo(self.headers.get("Authorization", "").removeprefix("Bearer ")))
                elif parts.path == "/jwks":
                    self.respond(provider._jwks())
                elif parts.path == "/.well-known/openid-configuration":
                    self.respond(provider._discovery())
                else:
                    self.respond(provider.instead.get(parts.path, (404, {})))

            def do_POST(self):
                length = int(self.headers.get("Content-Length", -1))
                body = self.rfile.read(max(length, 0)).decode()
                if len(body) != length:
                    # Who asked has died under the request: it is none.
                    self.close_connection = True
                    return
                asked = provider._parameters(self.path, body, self.headers)
                endpoint = {"/token": provider._token, "/revoke": provider._revoke,
                            **({"/device": provider.devices.authorize} if provider.devices else {})}.get(self.path)
                answer = provider.instead.get(self.path) or (endpoint(asked) if endpoint else (404, {}))
                self.respond(answer)

            def log_message(self, *_):
                pass

        return Handler
