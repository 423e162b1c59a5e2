# Sourced by the *-up scripts: arguments, packages, waiting. No script of its own.

[ $# -eq 2 ] || { echo "usage: $(basename "$0") PORT DIR" >&2; exit 2; }
here=$(cd "$(dirname "$0")" && pwd)
port=$1
mkdir -p "$2"
dir=$(cd "$2" && pwd)
python=/usr/bin/python3
export PYTHONDONTWRITEBYTECODE=1
# With a proxy at PORT: where the provider itself listens.
listen=${LISTEN_PORT:-$port}
# What the provider accepts and where it reports to: see README.md.
redirect_ports=${REDIRECT_PORTS:-"8765 8766 8767 8768"}
backchannel=${BACKCHANNEL_LOGOUT_URI:-http://127.0.0.1:8799/back-channel-logout}

# apt COMMAND...: with new lists where the old ones don't do.
apt() { apt-get -q "$@" >&2 || { apt-get -q update >&2 && apt-get -q "$@" >&2; }; }
packages() { DEBIAN_FRONTEND=noninteractive apt -y -o DPkg::Lock::Timeout=600 install --no-install-recommends --no-upgrade "$@"; }

# venv PACKAGE...: DIR/venv with these PyPI packages; made once.
venv() {
    [ -e "$dir/venv/.done" ] && return
    "$python" -m venv "$dir/venv" 2>/dev/null || { packages python3-venv; "$python" -m venv "$dir/venv"; }
    "$dir/venv/bin/pip" install -q --disable-pip-version-check "$@" >&2
    touch "$dir/venv/.done"
}

# key FILE: an RSA key in PEM, made once.
key() {
    [ -s "$1" ] && return
    command -v openssl >/dev/null || packages openssl
    openssl genrsa -out "$1" 2048 2>/dev/null
}

# free: fail when something listens on the port already.
free() {
    "$python" -c 'import socket, sys; sys.exit(socket.socket().connect_ex(("127.0.0.1", int(sys.argv[1]))) == 0)' "$listen" ||
        { echo "port $listen is taken" >&2; exit 1; }
}

# answering URL PID: wait until URL answers; fails when PID ends, or after 60 s.
answering() {
    _n=0
    until "$python" -c 'import sys, urllib.request as u; u.urlopen(sys.argv[1], timeout=5)' "$1" 2>/dev/null; do
        _n=$((_n + 1))
        if ! kill -0 "$2" 2>/dev/null || [ $_n -ge 300 ]; then
            echo "no answer from $1; the log ends:" >&2
            tail -20 "$dir/log" >&2
            kill "$2" 2>/dev/null
            exit 1
        fi
        sleep 0.1
    done
}

# redirects: the loopback redirect URIs with fixed ports, then the custom scheme's, one a line.
redirects() {
    for _p in $redirect_ports; do
        echo "http://127.0.0.1:$_p/callback"
        echo "http://[::1]:$_p/callback"
    done
    echo "com.example.scene:/callback"
}

# up ISSUER PID [NAME=VALUE...]: print what a client and a test need, and keep it in DIR/idp.env.
up() {
    _issuer=$1 _pid=$2
    shift 2
    cat > "$dir/idp.env" <<ENV
issuer=$_issuer
pid=$_pid
client_id=scene
redirect_uri=http://127.0.0.1:8765/callback
custom_redirect_uri=com.example.scene:/callback
post_logout_redirect_uri=http://127.0.0.1:8765/signed-out
confidential_client_id=scene-server
confidential_client_secret=scene-server-secret
scope=openid profile email
user=alice
password=alice-pass-1
user2=bob
password2=bob-pass-1
ENV
    for _more in "$@"; do echo "$_more" >> "$dir/idp.env"; done
    cat "$dir/idp.env"
}
