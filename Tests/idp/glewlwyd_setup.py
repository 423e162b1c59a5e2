"""glewlwyd_setup.py URL PUBLIC_URL KEY: give a fresh Glewlwyd its OIDC plugin, users and clients.

It makes the calls that the administration page makes. KEY is a PEM file; the
redirect URIs come on standard input.
"""

import os
import subprocess
import sys

sys.dont_write_bytecode = True
from browser import Browser  # noqa: E402

URL, PUBLIC_URL, KEY = sys.argv[1].rstrip("/"), sys.argv[2], sys.argv[3]
admin = Browser()


def call(method, path, body):
    page = admin.fetch(f"{URL}/api/{path}", body, method)
    if page.status != 200:
        sys.exit(f"{method} {path}: {page.status} {page.body.decode()}")


with open(KEY) as file:
    private = file.read()
public = subprocess.run(["openssl", "rsa", "-in", KEY, "-pubout"], check=True, capture_output=True, text=True).stdout

call("POST", "auth/", {"username": "admin", "password": "password"})
call("POST", "mod/plugin/", {
    "module": "oidc", "name": "oidc", "display_name": "OpenID Connect", "order_rank": 0,
    "parameters": {
        "iss": f"{PUBLIC_URL}/api/oidc",
        "jwt-type": "rsa", "jwt-key-size": "256", "key": private, "cert": public, "jwks-show": True,
        "access-token-duration": int(os.environ.get("ACCESS_TOKEN_SECONDS", "300")),
        "refresh-token-duration": 86400, "code-duration": 60,
        "refresh-token-rolling": True, "refresh-token-one-use": "always",
        "allow-non-oidc": True,
        "auth-type-code-enabled": True, "auth-type-code-revoke-replayed": True,
        "auth-type-refresh-enabled": True, "auth-type-device-enabled": True,
        "auth-type-token-enabled": False, "auth-type-implicit-enabled": False, "auth-type-none-enabled": False,
        "auth-type-password-enabled": False, "auth-type-client-enabled": True,
        "pkce-allowed": True, "pkce-method-plain-allowed": False, "pkce-required-public-client": True,
        "introspection-revocation-allowed": True, "introspection-revocation-allow-target-client": True,
        "register-client-allowed": True, "register-client-management-allowed": True,
        "session-management-allowed": True, "back-channel-logout-allowed": True,
        "session-cookie-name": "GLEWLWYD2_OIDC_SID", "session-cookie-expiration": 2419200,
        "front-channel-logout-allowed": True,
        "device-authorization-expiration": int(os.environ.get("DEVICE_CODE_SECONDS", "600")), "device-authorization-interval": 1,
        "oauth-as-iss-id": True,
        "allowed-scope": ["openid", "profile", "email"],
        "subject-type": "public",
        "name-claim": "on-demand", "name-claim-scope": ["profile"],
        "email-claim": "on-demand", "email-claim-scope": ["email"],
    },
})
for name in ("profile", "email"):
    call("POST", "scope/", {"name": name, "display_name": name, "description": name,
                            "password_required": True, "password_max_age": 0, "scheme": {}})
for name in ("alice", "bob"):
    call("POST", "user/", {"username": name, "name": f"{name.title()} Example", "email": f"{name}@example.com",
                           "password": f"{name}-pass-1", "enabled": True,
                           "scope": ["openid", "profile", "email", "g_profile"]})
# The plugin reads this property, and Debian's initial database doesn't have it.
backend = admin.fetch(f"{URL}/api/mod/client/database").json()
backend["parameters"]["data-format"]["post_logout_redirect_uris"] = {"multiple": True, "read": True, "write": True}
call("PUT", "mod/client/database", backend)
call("PUT", "mod/client/database/reset", None)
client = {
    "enabled": True,
    "redirect_uri": sys.stdin.read().split(),
    "authorization_type": ["code", "refresh_token", "device_authorization"],
    "scope": ["openid", "profile", "email"],
    "post_logout_redirect_uris": ["http://127.0.0.1:8765/signed-out"],
    "backchannel_logout_uri": os.environ["BACKCHANNEL_LOGOUT_URI"],
    "backchannel_logout_session_required": "true",
}
call("POST", "client/", client | {"client_id": "scene", "name": "Scene", "confidential": False,
                                  "token_endpoint_auth_method": ["none"]})
call("POST", "client/", client | {"client_id": "scene-server", "name": "Scene's server", "confidential": True,
                                  "client_secret": "scene-server-secret",
                                  "token_endpoint_auth_method": ["client_secret_basic", "client_secret_post"],
                                  "authorization_type": ["code", "refresh_token", "client_credentials"]})
