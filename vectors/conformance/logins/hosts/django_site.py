"""A Django site with the second factors of django-otp or django-allauth, set up as their documentation says.

    django_site.py otp|allauth prepare|PORT      with DATABASE: its host, user and name as JSON

POST /console takes JSON from the suite, in an administrator's place.
"""

import json
import os
import sys
from base64 import b32encode

import django
from django.conf import settings
from django.http import HttpResponse, JsonResponse

IS_OTP, WHERE = sys.argv[1] == "otp", json.loads(os.environ["DATABASE"])
SESSIONS, CSRF = "django.contrib.sessions.middleware.SessionMiddleware", "django.middleware.csrf.CsrfViewMiddleware"
USERS = "django.contrib.auth.middleware.AuthenticationMiddleware"
FORM = "<form method=post>{% csrf_token %}{{ form.as_p }}<button>Send</button></form>"
settings.configure(
    SECRET_KEY="of the suite only", ALLOWED_HOSTS=["127.0.0.1"], ROOT_URLCONF=__name__, USE_TZ=True,
    DEFAULT_AUTO_FIELD="django.db.models.BigAutoField", DATABASES={"default": {
        "ENGINE": "django.db.backends.postgresql", "NAME": WHERE["dbname"], "HOST": WHERE["host"],
        "USER": WHERE["user"]}},
    INSTALLED_APPS=["django.contrib.auth", "django.contrib.contenttypes", "django.contrib.sessions",
                    "django.contrib.messages",
                    *(["django_otp", "django_otp.plugins.otp_totp", "django_otp.plugins.otp_static"] if IS_OTP
                      else ["allauth", "allauth.account", "allauth.mfa"])],
    MIDDLEWARE=[SESSIONS, CSRF, USERS, "django.contrib.messages.middleware.MessageMiddleware",
                "django_otp.middleware.OTPMiddleware" if IS_OTP else "allauth.account.middleware.AccountMiddleware"],
    TEMPLATES=[{"BACKEND": "django.template.backends.django.DjangoTemplates", "OPTIONS": {
        "context_processors": ["django.template.context_processors.request",
                               "django.contrib.auth.context_processors.auth",
                               "django.contrib.messages.context_processors.messages"],
        "loaders": [("django.template.loaders.locmem.Loader", {"form.html": FORM}),
                    "django.template.loaders.app_directories.Loader"]}}],
    # What is tested is the second factor: the passwords' hash is quick.
    PASSWORD_HASHERS=["django.contrib.auth.hashers.MD5PasswordHasher"],
    # allauth's limits and marks need a cache that all processes share and that survives them.
    CACHES={"default": {"BACKEND": "django.core.cache.backends.db.DatabaseCache", "LOCATION": "cache",
                        "OPTIONS": {"MAX_ENTRIES": 100_000}}},
    AUTHENTICATION_BACKENDS=["django.contrib.auth.backends.ModelBackend"]
    + ([] if IS_OTP else ["allauth.account.auth_backends.AuthenticationBackend"]),
    LOGIN_URL="/accounts/login/", LOGIN_REDIRECT_URL="/", ACCOUNT_EMAIL_VERIFICATION="none",
    EMAIL_BACKEND="django.core.mail.backends.dummy.EmailBackend")
django.setup()

from django.contrib.auth import get_user_model  # noqa: E402
from django.contrib.auth.decorators import login_required  # noqa: E402
from django.contrib.auth.views import LoginView  # noqa: E402
from django.core.management import call_command  # noqa: E402
from django.urls import include, path  # noqa: E402
from django.views.decorators.csrf import csrf_exempt  # noqa: E402


@csrf_exempt
def console(request):
    """What an administrator does: for django-otp, also with its devices."""
    asked = json.loads(request.body)
    users = get_user_model().objects
    if asked["do"] == "user":
        users.create_user(asked["user"], f"{asked['user']}@example.com", asked["password"])
    else:
        return JsonResponse({"enroll": enroll, "unlock": unlock, "recovery-codes": recovery_codes}[asked["do"]](
            users.get(username=asked["user"])))
    return JsonResponse({})


def enroll(user):
    return {"secret": b32encode(TOTPDevice.objects.create(user=user, name="app").bin_key).decode()}


def unlock(user):
    TOTPDevice.objects.get(user=user).throttle_reset()
    return {}


def recovery_codes(user):
    device = StaticDevice.objects.create(user=user, name="codes")
    codes = [StaticToken.random_token() for _ in range(10)]
    device.token_set.bulk_create([StaticToken(device=device, token=code) for code in codes])
    return {"codes": codes}


def home(request):
    return HttpResponse("signed in")


urlpatterns = [path("console", console)]
if IS_OTP:
    from django_otp.decorators import otp_required
    from django_otp.plugins.otp_static.models import StaticDevice, StaticToken
    from django_otp.plugins.otp_totp.models import TOTPDevice
    from django_otp.views import LoginView as OTPLoginView
    urlpatterns += [path("password", LoginView.as_view(template_name="form.html", next_page="/code")),
                    path("code", OTPLoginView.as_view(template_name="form.html", next_page="/")),
                    path("form", OTPLoginView.as_view(template_name="form.html", next_page="/")),
                    path("", otp_required(home, login_url="/code"))]
else:
    urlpatterns += [path("accounts/", include("allauth.urls")), path("", login_required(home))]

if sys.argv[2] == "prepare":
    call_command("migrate", verbosity=0)
    call_command("createcachetable")
else:
    from django.core.wsgi import get_wsgi_application
    from werkzeug.serving import run_simple
    run_simple("127.0.0.1", int(sys.argv[2]), get_wsgi_application(), threaded=True)
