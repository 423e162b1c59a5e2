"""Token calls: Debian's oidc-agent beside scened and the floor, and the refreshes of many accounts at once."""

import json
import os
import shutil
import signal
import socket
import subprocess

from cases import core, timed
from servers import BUILT, SESSION, Connection, Daemon, Scened, ScriptedProvider, Server, Visitor, text

# Connections to a login host at a time, as scened has at most.
CONNECTIONS = 32
ACCOUNTS = 1000

# The same between servers: each side with its server before it. The agent serves one call a connection.
PEERS = [
    *((f"a token, {clients} caller{'s' * (clients > 1)}{how}: {what}", ("scened", ours, clients, key),
       ("oidc-agent", "dial", clients, key), "us", least)
      for ours, how, least in (("token", "", "3 x or more"), ("dial", ", a connection each", "1 x or more"))
      for clients in (1, 64) for what, key in (("CPU", "cpu_us"), ("time", "p50_us"))),
    *((f"{server}, 1 and 64 callers{how}: time for each", (server, case, 1, "each_us"), (server, case, 64, "each_us"), "us", "")
      for case, how in (("token", ""), ("dial", ", a connection each")) for server in ("floor", "scened", "oidc-agent")),
    *((f"1,000 refreshes, libcurl and scened: {what}", ("libcurl", "refresh", ACCOUNTS, key),
       ("crowd", "refresh", ACCOUNTS, key), "us", "") for what, key in (("CPU of each", "cpu_us"), ("time for each", "each_us"))),
]


class Host:
    """A login host that refreshes for everybody, as fast as one thread can (host.c)."""

    def __init__(self, directory, port=None):
        if port is None:
            with socket.socket() as probe:
                probe.bind(("127.0.0.1", 0))
                port = probe.getsockname()[1]
        self._port, self._directory = port, directory
        self.issuer = f"http://127.0.0.1:{port}"
        names = ("authorization", "token", "userinfo", "revocation", "device_authorization", "registration")
        self.document = {
            "issuer": self.issuer, "jwks_uri": self.issuer + "/jwks", "response_types_supported": ["code"],
            "scopes_supported": ["openid", "profile", "email", "offline_access"],
            "grant_types_supported": ["authorization_code", "refresh_token"],
            "code_challenge_methods_supported": ["S256"], "token_endpoint_auth_methods_supported": ["none"],
            **{f"{name}_endpoint": f"{self.issuer}/{name}" for name in names}}

    def __enter__(self):
        path = os.path.join(self._directory, "discovery")
        with open(path, "w") as file:
            json.dump(self.document, file)
        self._process = subprocess.Popen([*core(1), os.path.join(BUILT, "host"), str(self._port), path],
                                         stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True)
        if self._process.stdout.readline() != "ready\n":
            raise SystemExit("The login host did not start.")
        return self

    def refreshes(self):
        """Ends it; how many there were."""
        self._process.send_signal(signal.SIGTERM)
        return json.loads(self._process.communicate(timeout=30)[0])["refreshes"]

    def __exit__(self, *_):
        self._process.kill()
        self._process.communicate()


class Agent(Server):
    """oidc-agent with one account, whose token it has in memory. It closes a connection behind each answer."""

    def __init__(self, name, directory):
        super().__init__(name, directory)
        self._home = os.path.join(self.directory, "home")
        self._environment = {"HOME": self._home, "PATH": os.environ["PATH"], "OIDC_SOCK": self.socket, "OIDC_PW": "pw"}

    def command(self):
        return ["oidc-agent", "--console", "--socket-path", self.socket]

    def prepare(self):
        shutil.rmtree(self._home, ignore_errors=True)
        os.makedirs(os.path.join(self._home, ".config", "oidc-agent"))

    def start(self, prefix=(), environment=(), log="log"):
        super().start(prefix, {**self._environment, **dict(environment)}, log)
        with open(f"/proc/{self.process.pid}/task/{self.process.pid}/children") as file:
            self.parts = [int(part) for part in file.read().split()]
        with Host(self.directory) as host:
            self._sign_in(host)
            self.message("token", b'{"request":"access_token","account":"bench","min_valid_period":60}')
            self.message("token_reply", self._ask())
            assert self._ask() == self.content("token_reply") and host.refreshes() == 1

    def _sign_in(self, host):
        done = subprocess.run(
            ["oidc-gen", "bench", "--issuer", host.issuer, "--client-id", "scene", "--client-secret", "none",
             "--rt", "given", "--flow=refresh", "--manual", "--scope", "openid profile email offline_access",
             "--pw-env=OIDC_PW", "--prompt=none", "--redirect-uri", "http://localhost:4242"],
            env=self._environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
            timeout=60)
        if done.returncode:
            raise SystemExit(f"oidc-gen: {done.stdout}")

    def _ask(self):
        with socket.socket(socket.AF_UNIX) as connection:
            connection.connect(self.socket)
            connection.sendall(self.content("token"))
            answer = b"".join(iter(lambda: connection.recv(4096), b""))
        assert json.loads(answer)["access_token"].startswith("access-token-"), answer
        return answer

    def stop(self):
        self.process.terminate()
        self.process.wait(60)


class Crowd(Scened):
    """scened with many accounts signed in, whose tokens are all refused at once."""

    def __init__(self, directory):
        Server.__init__(self, "crowd", directory)
        self.mode = "refresh"
        self._state = os.path.join(self.directory, "running")
        self._sign_in()

    def _sign_in(self):
        provider = ScriptedProvider(lifetime=86400)
        self._daemon = Daemon(os.path.join(self.directory, "daemon"), {"notes": provider.configuration()})
        self._host = Host(self.directory, port=int(provider.issuer.rsplit(":", 1)[1]))
        try:
            self._daemon.start()
            accounts = [self._daemon.sign_in(Visitor(name), "Login", loginHint=name)["id"]
                        for name in (f"user{number}" for number in range(ACCOUNTS))]
            with Connection(self._daemon.socket) as caller:
                tokens = [caller.call(SESSION + "GetAccessToken", app="notes", account=account)["token"]["value"]
                          for account in accounts]
        finally:
            self._daemon.close()
            provider.stop()
        self.message("requests", b"".join(
            text("GetAccessToken", {"app": "notes", "account": account, "rejected": token})
            for account, token in zip(accounts, tokens)))

    def refresh(self):
        """Tokens for all accounts at once: one refresh each."""
        with Host(self.directory, self._host._port) as host:
            found = timed(self, "refresh", ACCOUNTS, 0)
            seen = host.refreshes()
        assert seen == ACCOUNTS, f"{seen} refreshes of {ACCOUNTS} accounts"
        return found

    def plain(self):
        """The same refreshes by a client that does nothing else."""
        with Host(self.directory) as host:
            run = subprocess.run(
                [*core(0), os.path.join(BUILT, "refresh"), host.issuer + "/token", str(ACCOUNTS), str(CONNECTIONS)],
                stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=120, check=True)
        return json.loads(run.stdout)
