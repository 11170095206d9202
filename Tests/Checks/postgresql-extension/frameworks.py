"""The lines of the extension's page for frameworks, word for word, and the views of a website on Django."""

import importlib.util
import pathlib
import re
import secrets
import subprocess
import time

import django
import django.conf
import django.test
import psycopg
import sqlalchemy

import otp
from extension import application, enrolled, folder, require

page = pathlib.Path("LibOTP/postgresql/README.md").read_text(encoding="utf-8")
lines = dict(re.findall(r"^\| (\w+)[^|]* \| `(.+?)`", page, re.M))
settings = {"ENGINE": "django.db.backends.postgresql", "HOST": str(folder), "USER": "app", "NAME": "postgres"}
ruby = ('require "active_record"; ActiveRecord::Base.establish_connection(adapter: "postgresql", host: ARGV[0], '
        'username: "app", database: "postgres"); connection = ActiveRecord::Base.connection; '
        "subject, typed = ARGV[1..];")


def frameworks():
    django.conf.settings.configure(DATABASES={"default": settings}, SECRET_KEY="-", ALLOWED_HOSTS=["*"])
    django.setup()
    for name, connection in (("psycopg", lambda: psycopg.connect(application)),
                             ("Django", lambda: django.db.connection), ("ActiveRecord", None), ("SQLAlchemy", None)):
        subject, app = enrolled()
        values = {"subject": subject, "typed": app.totp(int(time.time()) + 30), "text": sqlalchemy.text,
                  "engine": sqlalchemy.create_engine(f"postgresql+psycopg2://app@/postgres?host={folder}")}
        for expected in ("accepted", "rejected"):
            if name == "ActiveRecord":
                row = [subprocess.run(["ruby", "-e", f"{ruby} {lines[name]}; print row[0]", folder, subject,
                                       values["typed"]], check=True, stdout=subprocess.PIPE, text=True).stdout]
            else:
                values["connection"] = connection and connection()
                exec(lines[name], values)  # pylint: disable=exec-used
                row = values["row"]
            require(row[0] == expected, f"{name}: {row}, not {expected}")
    views()


def views():
    found = importlib.util.spec_from_file_location("views", "LibOTP/postgresql/clients/views.py")
    module = importlib.util.module_from_spec(found)
    found.loader.exec_module(module)
    requests, session = django.test.RequestFactory(), type("Session", (dict,), {"cycle_key": lambda self: None})()
    session["user"] = f"user-{secrets.token_hex(8)}"

    def status(view, **fields):
        request = requests.post("/", fields)
        request.session = session
        response = view(request)
        return response.status_code, response

    image = status(module.enroll)[1].content
    require(image.startswith(b"<") and b"svg" in image, "the QR code is no SVG")
    # As if the code had been scanned.
    with django.db.connection.cursor() as cursor:
        cursor.execute("SELECT otp.enroll(%s, 'a', 'b')", [session["user"]])
        app = otp.Key(otp.KeyURI.parse(cursor.fetchone()[0]).secret)
    now = int(time.time())
    require(status(module.confirm, code="000000")[0] == 401, "a wrong code confirms")
    confirmed, response = status(module.confirm, code=app.totp(now))
    require(confirmed == 200 and response.content.count(b"-") == 50, "no recovery codes")
    require(status(module.sign_in, code=app.totp(now + 30))[0] == 200 and "signed_in" in session, "a right code")
    code = response.content.decode().split('"')[3]
    used = [status(module.sign_in, code=code, factor="recovery")[0] for _ in range(2)]
    require(used == [200, 401], f"a recovery code: {used}")
    found = [status(module.sign_in, code="000000") for _ in range(5)]
    require([code for code, _ in found] == [401] * 4 + [429] and int(found[4][1]["Retry-After"]) > 0, f"{found}")
