"""The scripted login host with switches for everything that a login host can get wrong about a user's identity.

Each switch is an attribute that a test sets; unset, the host does all right. What it was asked is kept.
"""

import secrets
import threading
import urllib.parse

import jose
from scripted_idp import ScriptedProvider

ABSENT = object()
# Made once: RSA keys take their time.
KEYS = {algorithm: jose.Key(algorithm) for algorithm in
        ("RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "EdDSA")}
OTHER = jose.Key("RS256")


def changed(members, changes):
    """With these members added or replaced; one that is ABSENT is left out, one that can be called makes the value."""
    merged = {**members, **changes}
    made = {name: value(members.get(name)) if callable(value) else value for name, value in merged.items()}
    return {name: value for name, value in made.items() if value is not ABSENT}


class FaultyProvider(ScriptedProvider):
    def __init__(self, lifetime=300):
        # Changes, as `changed` takes them.
        self.claims, self.header, self.metadata, self.userinfo, self.answer, self.callback = ({} for _ in range(6))
        # The ID token's key; what is published, JWKs; and what signs in the key's place.
        self.key, self.published, self.sign = KEYS["RS256"], None, None
        # The ID token's claims as JSON text, made of the dict; and the whole token, made of the right one.
        self.claims_text = self.whole_token = None
        # A new key right before each signature, and, of each, its name.
        self.rotates = False
        # Path to what is answered there as it is: a status, bytes or an object, headers.
        self.instead = {}
        # Faults of refreshes alone: taken in place of `claims` and `answer` from then on.
        self.at_refresh = {}
        # Whether it also issues an ID token at a refresh, and a refresh token.
        self.identifies_at_refresh = self.rotates_refresh_tokens = True
        # What it was asked: paths with forms or queries, each with the Authorization header.
        self.requests = []
        self._asking = threading.Lock()
        super().__init__(lifetime)

    def of(self, path):
        with self._asking:
            return [asked for seen, asked in self.requests if seen == path]

    def rotate(self):
        self.key = jose.Key("RS256", kid=secrets.token_hex(4))

    def _remember(self, path, asked):
        with self._asking:
            self.requests.append((path, asked))

    def _parameters(self, path, body, headers):
        pairs = urllib.parse.parse_qsl(body)
        assert len(pairs) == len(dict(pairs)), f"a parameter twice in {[name for name, _ in pairs]}"
        asked = {**dict(pairs), "Authorization": headers.get("Authorization")}
        self._remember(path, asked)
        return asked

    def _answered(self, path, answer):
        return self.instead.get(path) or answer

    def _discovery(self):
        self._remember("/.well-known/openid-configuration", {})
        status, members = super()._discovery()
        return self._answered("/.well-known/openid-configuration", (status, changed(members, self.metadata)))

    def _jwks(self):
        self._remember("/jwks", {})
        return self._answered("/jwks", (200, {"keys": [self.key.jwk()] if self.published is None else self.published}))

    def _authorize(self, asked):
        self._remember("/authorize", asked)
        address, _, query = super()._authorize(asked).partition("?")
        query = changed(dict(urllib.parse.parse_qsl(query)), self.callback)
        return address + "?" + urllib.parse.urlencode(query)

    def _id_token(self, user, nonce, access):
        if self.rotates:
            self.rotate()
        claims = {**self._claims(user, nonce), "at_hash": jose.at_hash(access, self.key.algorithm)}
        claims = changed(claims, self.claims)
        header = changed({"alg": self.key.algorithm, "kid": self.key.kid, "typ": "JWT"}, self.header)
        text = self.claims_text(claims) if self.claims_text else claims
        token = jose.token(header, text, self.sign or self.key.sign)
        return self.whole_token(token) if self.whole_token else token

    def _token(self, asked):
        refreshes = asked.get("grant_type") == "refresh_token"
        if refreshes:
            vars(self).update(self.at_refresh)
        status, members, *more = super()._token(asked)
        if status == 200:
            if refreshes and not self.identifies_at_refresh:
                del members["id_token"]
            if refreshes and not self.rotates_refresh_tokens:
                del members["refresh_token"]
            members = changed(members, self.answer)
        return self._answered("/token", (status, members, *more))

    def _revoke(self, asked):
        return self._answered("/revoke", super()._revoke(asked))

    def _userinfo(self, token):
        self._remember("/userinfo", {"Authorization": "Bearer " + token})
        status, members = super()._userinfo(token)
        return self._answered("/userinfo", (status, changed(members, self.userinfo) if status == 200 else members))
