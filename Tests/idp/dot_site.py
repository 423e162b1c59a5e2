"""A Django site that is nothing but django-oauth-toolkit's provider, for tests.

dot_site.py PORT DIR [LISTEN_PORT]: makes the database when DIR has none, then serves.
The signing key is DIR/key.pem.
"""

import os
import sys

import django
from django.conf import settings
from django.urls import include, path

PORT, DIR = sys.argv[1], os.path.abspath(sys.argv[2])
LISTEN_PORT = sys.argv[3] if len(sys.argv) > 3 else PORT
ROOT = f"http://127.0.0.1:{PORT}"
os.environ["OAUTHLIB_INSECURE_TRANSPORT"] = "1"  # plain http, on loopback


settings.configure(
    DEBUG=False,
    SECRET_KEY="for tests on loopback only",
    ALLOWED_HOSTS=["127.0.0.1"],
    ROOT_URLCONF=__name__,
    USE_TZ=True,
    STATIC_URL="static/",
    LOGGING={"version": 1, "disable_existing_loggers": False, "handlers": {"log": {"class": "logging.StreamHandler"}},
             "root": {"handlers": ["log"], "level": "INFO"}},
    LOGIN_URL="/login/",
    DEFAULT_AUTO_FIELD="django.db.models.BigAutoField",
    # The users' passwords are in idp.env: a slow hash would slow the tests down, no more.
    PASSWORD_HASHERS=["django.contrib.auth.hashers.MD5PasswordHasher"],
    DATABASES={"default": {"ENGINE": "django.db.backends.sqlite3", "NAME": os.path.join(DIR, "db.sqlite3"),
                           "OPTIONS": {"timeout": 20, "transaction_mode": "IMMEDIATE"}}},
    INSTALLED_APPS=["django.contrib.admin", "django.contrib.auth", "django.contrib.contenttypes",
                    "django.contrib.sessions", "django.contrib.messages", "oauth2_provider"],
    MIDDLEWARE=["django.contrib.sessions.middleware.SessionMiddleware", "django.middleware.csrf.CsrfViewMiddleware",
                "django.contrib.auth.middleware.AuthenticationMiddleware",
                "django.contrib.messages.middleware.MessageMiddleware"],
    TEMPLATES=[{"BACKEND": "django.template.backends.django.DjangoTemplates", "APP_DIRS": True,
                "OPTIONS": {"context_processors": ["django.template.context_processors.request",
                                                   "django.contrib.auth.context_processors.auth",
                                                   "django.contrib.messages.context_processors.messages"]}}],
    OAUTH2_PROVIDER={
        "OIDC_ENABLED": True,
        "OIDC_RSA_PRIVATE_KEY": open(os.path.join(DIR, "key.pem")).read(),
        "OIDC_ISS_ENDPOINT": ROOT + "/o",
        "OIDC_RP_INITIATED_LOGOUT_ENABLED": True,
        "OIDC_RP_INITIATED_LOGOUT_ALWAYS_PROMPT": False,
        "OAUTH2_VALIDATOR_CLASS": __name__ + ".Claims",
        "SCOPES": {"openid": "who you are", "profile": "your name", "email": "your address"},
        "ALLOWED_REDIRECT_URI_SCHEMES": ["http", "https", "com.example.scene"],
        "REQUEST_APPROVAL_PROMPT": "auto",
        "COMPLIANT_BCP_RFC9700_AUTHZ_RESPONSE_ISS": True,
        "ACCESS_TOKEN_EXPIRE_SECONDS": int(os.environ.get("ACCESS_TOKEN_SECONDS", "300")),
        "ROTATE_REFRESH_TOKEN": True,
        "REFRESH_TOKEN_REUSE_PROTECTION": True,
        "OAUTH_DEVICE_VERIFICATION_URI": ROOT + "/o/device/",
        "OAUTH_DEVICE_VERIFICATION_URI_COMPLETE": lambda code: f"{ROOT}/o/device/?user_code={code}",
        "DEVICE_FLOW_INTERVAL": 1,
        "DCR_ENABLED": True,
        "DCR_REGISTRATION_PERMISSION_CLASSES": ("oauth2_provider.dcr.AllowAllDCRPermission",),
    },
)
django.setup()

from django.contrib import admin  # noqa: E402
from django.contrib.auth import get_user_model  # noqa: E402
from django.contrib.auth.views import LoginView  # noqa: E402
from django.core.management import call_command  # noqa: E402
from oauth2_provider.models import get_application_model  # noqa: E402
from oauth2_provider.oauth2_validators import OAuth2Validator  # noqa: E402
from oauth2_provider.urls import metadata_urlpatterns  # noqa: E402


class Claims(OAuth2Validator):
    def get_additional_claims(self, request):
        return {"preferred_username": request.user.username, "name": request.user.get_full_name(),
                "email": request.user.email}

    # prompt=none: the view looks at the session by itself, but it asks these too.
    def validate_silent_login(self, request):
        return True

    def validate_silent_authorization(self, request):
        return True


urlpatterns = [
    path("admin/", admin.site.urls),  # the login page's template links there
    path("login/", LoginView.as_view(template_name="admin/login.html")),
    path("o/", include("oauth2_provider.urls", namespace="oauth2_provider")),
    *metadata_urlpatterns,
]


def populate():
    for name in ("alice", "bob", "carol", "dave"):
        get_user_model().objects.create_user(name, f"{name}@example.com", f"{name}-pass-1",
                                             first_name=name.title(), last_name="Example")
    application = get_application_model().objects
    redirects = "http://127.0.0.1/callback http://[::1]/callback com.example.scene:/callback"
    left = f"http://127.0.0.1:8765/signed-out com.example.scene:/signed-out"
    application.create(client_id="scene", name="Scene", client_type="public", algorithm="RS256",
                       authorization_grant_type="authorization-code", redirect_uris=redirects,
                       post_logout_redirect_uris=left)
    application.create(client_id="scene-device", name="Scene on a device", client_type="public", algorithm="RS256",
                       authorization_grant_type="urn:ietf:params:oauth:grant-type:device_code")
    application.create(client_id="scene-server", client_secret="scene-server-secret", name="Scene's server",
                       client_type="confidential", algorithm="RS256", authorization_grant_type="authorization-code",
                       redirect_uris=redirects, post_logout_redirect_uris=left)


if __name__ == "__main__":
    call_command("migrate", verbosity=0)
    if not get_user_model().objects.exists():
        populate()
    call_command("runserver", f"127.0.0.1:{LISTEN_PORT}", use_reloader=False)
