"""A recording proxy in front of a login host: what was asked of it, counted; and a way to make it unreachable."""

import http.client
import threading
import urllib.parse
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

HOP_BY_HOP = {"connection", "keep-alive", "transfer-encoding", "content-length"}


class Request:
    def __init__(self, method, target, headers, body):
        self.method, self.headers, self.body = method, headers, body
        parts = urllib.parse.urlsplit(target)
        self.path = parts.path.rstrip("/")
        self.query = dict(urllib.parse.parse_qsl(parts.query))
        self.form = {}
        if "urlencoded" in headers.get("Content-Type", ""):
            self.form = dict(urllib.parse.parse_qsl(body.decode()))
        self.status = None
        self.answer = b""

    def __repr__(self):
        return f"{self.method} {self.path} {sorted(self.query)} {sorted(self.form)} {self.status}"


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 1024

    def handle_error(self, request, client_address):
        """A client that has gone is no news."""


class RecordingProxy:
    def __init__(self, port, target):
        self.port, self.target = port, target
        self.requests = []
        # Where answers are dropped, though what was asked is done: the end of a path.
        self.drops = None
        self._server = None
        self.start()

    def start(self):
        proxy = self

        class Handler(BaseHTTPRequestHandler):
            def forward(self):
                body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
                request = Request(self.command, self.path, self.headers, body)
                proxy.requests.append(request)
                upstream = http.client.HTTPConnection("127.0.0.1", proxy.target, timeout=30)
                upstream.putrequest(self.command, self.path, skip_host=True, skip_accept_encoding=True)
                for name, value in self.headers.items():
                    if name.lower() not in HOP_BY_HOP:
                        upstream.putheader(name, value)
                if body or self.command == "POST":
                    upstream.putheader("Content-Length", str(len(body)))
                upstream.endheaders(body)
                answer = upstream.getresponse()
                request.answer = answer.read()
                request.status = answer.status
                upstream.close()
                if proxy.drops and request.path.endswith(proxy.drops):
                    self.close_connection = True
                    return
                self.send_response_only(answer.status, answer.reason)
                for name, value in answer.getheaders():
                    if name.lower() not in HOP_BY_HOP:
                        self.send_header(name, value)
                self.send_header("Content-Length", str(len(request.answer)))
                self.send_header("Connection", "close")
                self.end_headers()
                if self.command != "HEAD":
                    self.wfile.write(request.answer)

            do_GET = do_POST = do_PUT = do_DELETE = do_HEAD = forward

            def log_message(self, *_):
                pass

        self._server = _Server(("127.0.0.1", self.port), Handler)
        threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()

    def stop(self):
        """From now on connections are refused."""
        if self._server:
            self._server.shutdown()
            self._server.server_close()
            self._server = None

    def of(self, path, method=None):
        return [r for r in self.requests if r.path.endswith(path) and method in (None, r.method)]
