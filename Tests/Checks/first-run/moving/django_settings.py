"""The settings of a Django site with django-otp or django-allauth, in the folder MOVING."""
import os

IS_OTP = os.environ["SYSTEM"] == "django_otp"
SECRET_KEY = "of the check only"
USE_TZ = True
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"
DATABASES = {"default": {"ENGINE": "django.db.backends.sqlite3", "NAME": os.environ["MOVING"] + "/site.sqlite"}}
INSTALLED_APPS = ["django.contrib.auth", "django.contrib.contenttypes"] + (
    ["django_otp", "django_otp.plugins.otp_hotp", "django_otp.plugins.otp_totp"] if IS_OTP
    else ["allauth", "allauth.account", "allauth.mfa"])
MIDDLEWARE = [] if IS_OTP else ["allauth.account.middleware.AccountMiddleware"]
