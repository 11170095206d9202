"""A small Flask login around pyotp, as pyotp's documentation says; it leaves a limit of guesses to its callers.

    pyotp_login.py PORT DATABASE

Its pages: POST /sign-up, /sign-in, /enroll, /confirm, /code; GET / is only for those who have signed in.
"""

import secrets
import sqlite3
import sys

import pyotp
from flask import Flask, g, request, session
from werkzeug.security import check_password_hash, generate_password_hash

app = Flask(__name__)
PORT, DATABASE = int(sys.argv[1]), sys.argv[2]


def database():
    """The request's connection."""
    if "database" not in g:
        g.database = sqlite3.connect(DATABASE, timeout=60)
    return g.database


@app.teardown_appcontext
def close(_):
    if "database" in g:
        g.database.close()


def row(name):
    """Password, secret, whether it is confirmed, and the last time code of a user."""
    return database().execute("SELECT password, secret, confirmed FROM users WHERE name = ?", (name,)).fetchone()


def is_right_and_new(name, secret, code):
    """pyotp's own rule: the time code that matched must be later than the last one, in one statement."""
    try:
        matched = pyotp.TOTP(secret).verify_and_get_timecode(code)
    except pyotp.OTPVerificationError:
        return False
    with database() as changed:
        return 1 == changed.execute("UPDATE users SET last = ? WHERE name = ? AND (last IS NULL OR last < ?)",
                                    (matched, name, matched)).rowcount


@app.post("/sign-up")
def sign_up():
    with database() as changed:
        changed.execute("INSERT INTO users (name, password) VALUES (?, ?)",
                        (request.form["name"], generate_password_hash(request.form["password"], "pbkdf2:sha256:1")))
    return {}


@app.post("/sign-in")
def sign_in():
    found = row(request.form["name"])
    if not found or not check_password_hash(found[0], request.form["password"]):
        return {"error": "wrong name or password"}, 403
    session.clear()
    session["pending" if found[2] else "user"] = request.form["name"]
    return {"next": "code" if found[2] else "account"}


@app.post("/enroll")
def enroll():
    if "user" not in session or row(session["user"])[2]:
        return {"error": "not now"}, 403
    secret = pyotp.random_base32()
    with database() as changed:
        changed.execute("UPDATE users SET secret = ? WHERE name = ?", (secret, session["user"]))
    return {"secret": secret}


@app.post("/confirm")
def confirm():
    name = session.get("user")
    if name is None or not is_right_and_new(name, row(name)[1], request.form["code"]):
        return {"error": "wrong code"}, 403
    with database() as changed:
        changed.execute("UPDATE users SET confirmed = 1 WHERE name = ?", (name,))
    return {}


@app.post("/code")
def code():
    name = session.get("pending")
    if name is None or not is_right_and_new(name, row(name)[1], request.form["code"]):
        return {"error": "wrong code"}, 403
    session.clear()
    session["user"] = name
    return {}


@app.get("/")
def account():
    return {"user": session["user"]} if "user" in session else ({"error": "sign in"}, 403)


with sqlite3.connect(DATABASE, timeout=60) as connection:
    connection.execute("CREATE TABLE IF NOT EXISTS users (name TEXT PRIMARY KEY, password TEXT, secret TEXT,"
                       " confirmed INTEGER, last INTEGER)")
    connection.execute("CREATE TABLE IF NOT EXISTS keys (key TEXT)")
    if not connection.execute("SELECT key FROM keys").fetchone():
        connection.execute("INSERT INTO keys VALUES (?)", (secrets.token_hex(),))
    app.secret_key = connection.execute("SELECT key FROM keys").fetchone()[0]
app.run("127.0.0.1", PORT, threaded=True)
