"""The scripted provider, with answers of any kind in place of its own: whatever a login host may say."""

import json
import urllib.parse

from scripted_idp import ScriptedProvider


class Answer:
    """`body` is text, or what is to be JSON."""

    def __init__(self, status, body="", **headers):
        self.status = status
        self.headers = {name.replace("_", "-"): value for name, value in headers.items()}
        if not isinstance(body, (str, bytes)):
            self.headers.setdefault("Content-Type", "application/json")
            body = json.dumps(body)
        self.body = body.encode() if isinstance(body, str) else body


class AnsweringProvider(ScriptedProvider):
    """`faults` maps an endpoint (`token`, `revoke`, `userinfo`, `jwks`, `discovery`) to a function of what it is asked,
    which gives an Answer, or None for the usual one; `authorize` to one that changes the callback's address.
    `metadata` is added to the discovery document, and None takes a member out of it. `asked` is the text of each request.
    """

    def __init__(self, **options):
        super().__init__(**options)
        self.faults, self.metadata, self.asked = {}, {}, []

    def _faulty(self, name, usual, asked):
        fault = self.faults.get(name)
        return fault and fault(asked) or usual()

    def _discovery(self):
        def usual():
            status, document = super(AnsweringProvider, self)._discovery()
            return status, {k: v for k, v in {**document, **self.metadata}.items() if v is not None}
        return self._faulty("discovery", usual, None)

    def _jwks(self):
        return self._faulty("jwks", super()._jwks, None)

    def _userinfo(self, token):
        return self._faulty("userinfo", lambda: super(AnsweringProvider, self)._userinfo(token), token)

    def _token(self, asked):
        self.asked.append(asked)
        return self._faulty("token", lambda: super(AnsweringProvider, self)._token(asked), asked)

    def _revoke(self, asked):
        self.asked.append(asked)
        return self._faulty("revoke", lambda: super(AnsweringProvider, self)._revoke(asked), asked)

    def _authorize(self, asked):
        callback = super()._authorize(asked)
        fault = self.faults.get("authorize")
        if not fault:
            return callback
        parts = urllib.parse.urlsplit(callback)
        query = fault(dict(urllib.parse.parse_qsl(parts.query)))
        return parts._replace(query=urllib.parse.urlencode(query)).geturl()

    def _handler(self):
        class Handler(super()._handler()):
            def respond(self, answer):
                if not isinstance(answer, Answer):
                    return super().respond(answer)
                self.send_response_only(answer.status)
                for name, value in answer.headers.items():
                    self.send_header(name, value)
                self.send_header("Content-Length", str(len(answer.body)))
                self.end_headers()
                self.wfile.write(answer.body)

        return Handler
