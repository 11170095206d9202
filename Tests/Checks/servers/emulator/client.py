"""Starts the emulator, and makes requests as the SDKs do."""
import base64
import contextlib
import http.client
import json
import os
import re
import subprocess
from datetime import datetime, timezone

from main import running_program
from suite.codes import Key

TOOLKIT = "/identitytoolkit.googleapis.com"
OLD = "/www.googleapis.com/identitytoolkit/v3/relyingparty"
TOKEN = "/securetoken.googleapis.com/v1/token"
OWNER = {"Authorization": "Bearer owner"}
PROJECT = "demo-project"
PASSWORD = "secret123"


class Refused(Exception):
    """An error response, by its message."""

    def __init__(self, status, body):
        super().__init__(status, body)
        self.status = status
        self.message = body.get("error", {}).get("message", str(body))
        self.code = self.message.split(" : ")[0]


class Emulator:
    """A running emulator."""

    def __init__(self, port):
        self.port = port
        self.count = 0

    def send(self, method, path, body=None, headers=None, raw=None):
        """Makes one request; returns the response's status, headers and body."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        headers = dict(headers or {})
        if body is not None:
            raw = json.dumps(body)
            headers.setdefault("Content-Type", "application/json")
        connection.request(method, path, raw, headers)
        answer = connection.getresponse()
        content = answer.read()
        connection.close()
        return answer.status, answer.headers, content

    def json(self, method, path, body=None, headers=None, raw=None):
        status, sent, content = self.send(method, path, body, headers, raw)
        answer = json.loads(content)
        if status != 200:
            if "error" in answer:
                check_error(status, answer)
            raise Refused(status, answer)
        return answer

    # As the JS SDK does: the new paths, with the key in the URL.
    def js(self, method, body, version="v1"):
        return self.json("POST", f"{TOOLKIT}/{version}/{method}?key=fake-key", body, {
            "X-Client-Version": "Node/JsCore/13.5", "X-Firebase-gmpid": "1:1:web:1", "Origin": "http://localhost:5000"})

    def v2(self, method, **body):
        """An operation of second factors: `Enrollment:start`, `SignIn:finalize` and the like."""
        return self.js(f"accounts/mfa{method}", body, "v2")

    # As the iOS SDK does: the old paths for the first factor and the profile.
    def ios(self, method, body):
        path = f"{TOOLKIT}/v2/accounts/{method}" if method.startswith("mfa") else f"{OLD}/{method}"
        return self.json("POST", f"{path}?key=fake-key", body, {
            "X-Client-Version": "iOS/FirebaseSDK/12", "X-Ios-Bundle-Identifier": "com.example.app"})

    def admin(self, path, body=None, method="POST", version="v1"):
        return self.json(method, f"{TOOLKIT}/{version}/projects/{PROJECT}{path}", body, OWNER)

    def update(self, local_id, **body):
        return self.admin("/accounts:update", {"localId": local_id, **body})

    def own(self, part, method="GET", body=None, project=PROJECT):
        return self.json(method, f"/emulator/v1/projects/{project}/{part}", body)

    def clock(self, **body):
        return self.own("clock", "POST", body)

    def tenant(self, **settings):
        """The name of a new tenant."""
        return self.admin("/tenants", settings, version="v2")["tenantId"]

    # Preparations that many tests share.
    def new_email(self):
        self.count += 1
        return f"user{self.count}@example.com"

    def user(self, verified=True, tenant=None):
        """A user with a password and a verified address: email and ID token."""
        email = self.new_email()
        body = {"email": email, "password": PASSWORD, "returnSecureToken": True}
        if tenant:
            body["tenantId"] = tenant
        created = self.js("accounts:signUp", body)
        if verified:
            part = f"/tenants/{tenant}" if tenant else ""
            self.admin(f"{part}/accounts:update", {"localId": created["localId"], "emailVerified": True})
        return email, created

    def member(self, **more):
        """A user with a TOTP factor: e-mail address, secret, the factor's name, and the answer to its enrollment."""
        email, user = self.user(**more)
        secret, answer = self.enroll_totp(user["idToken"])
        return email, secret, factor(answer), answer | {"localId": user["localId"]}

    def enroll_totp(self, token, name=None, **more):
        info = self.v2("Enrollment:start", idToken=token, totpEnrollmentInfo={}, **more)["totpSessionInfo"]
        answer = self.v2("Enrollment:finalize", idToken=token, displayName=name, totpVerificationInfo={
            "sessionInfo": info["sessionInfo"], "verificationCode": self.totp(info["sharedSecretKey"])}, **more)
        return info["sharedSecretKey"], answer

    def enroll_phone(self, token, number, name=None):
        start = self.v2("Enrollment:start", idToken=token, phoneEnrollmentInfo={
            "phoneNumber": number, "captchaResponse": "NO_RECAPTCHA", "clientType": "CLIENT_TYPE_WEB"})
        session = start["phoneSessionInfo"]["sessionInfo"]
        return self.v2("Enrollment:finalize", idToken=token, displayName=name, phoneVerificationInfo={
            "sessionInfo": session, "code": self.sms(session)})

    def sign_in(self, email, **more):
        return self.js("accounts:signInWithPassword", {
            "email": email, "password": PASSWORD, "returnSecureToken": True, "clientType": "CLIENT_TYPE_WEB", **more})

    def pending(self, email):
        """The credential of a sign-in that waits for a second factor."""
        return self.sign_in(email)["mfaPendingCredential"]

    def prove_totp(self, pending, uid, code):
        return self.v2("SignIn:finalize", mfaPendingCredential=pending, mfaEnrollmentId=uid, totpVerificationInfo={
            "verificationCode": code})

    def verify_phone(self, number, **more):
        """Signs in with a phone as the first factor."""
        session = self.js("accounts:sendVerificationCode", {"phoneNumber": number})["sessionInfo"]
        return self.js("accounts:signInWithPhoneNumber", {"sessionInfo": session, "code": self.sms(session), **more})

    def look(self, token):
        user, = self.js("accounts:lookup", {"idToken": token})["users"]
        return user

    def refresh(self, token):
        return self.json("POST", f"{TOKEN}?key=k", {"grantType": "refresh_token", "refreshToken": token})

    def follow(self, link):
        """Opens a link that was sent."""
        return self.send("GET", link.split(str(self.port), 1)[1])

    def sms(self, session):
        codes = self.own("verificationCodes")["verificationCodes"]
        return next(code["code"] for code in codes if code["sessionInfo"] == session)

    def oob(self, email, kind):
        codes = self.own("oobCodes")["oobCodes"]
        return next(code for code in reversed(codes) if code["email"] == email and code["requestType"] == kind)

    def now(self):
        return parse_time(self.own("clock")["now"])

    def advance(self, seconds):
        """Moves the emulator's clock."""
        self.clock(advanceSeconds=seconds)

    def totp(self, secret, steps=0):
        return key(secret).at_step(int(self.now()) // 30 + steps)

    def wrong_code(self, secret):
        """A code that no nearby step has."""
        return key(secret).wrong(self.now(), 8)


def key(secret):
    return Key(base64.b32decode(secret + "=" * (-len(secret) % 8)))


def parse_time(text):
    """iOS's format, which is strict: yyyy-MM-dd'T'HH:mm:ss.SSSZ."""
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", text), text
    return datetime.strptime(text, "%Y-%m-%dT%H:%M:%S.%fZ").replace(tzinfo=timezone.utc).timestamp()


def claims(token):
    header, payload, signature = token.split(".")
    assert signature == "" and json.loads(decode(header))["alg"] == "none"
    return json.loads(decode(payload))


def factor(answer):
    """The second factor that a token names."""
    return claims(answer["idToken"])["firebase"]["second_factor_identifier"]


def decode(text):
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


def check_error(status, answer):
    """Checks the form that every error has."""
    error = answer["error"]
    assert error["code"] == status, answer
    first = error["errors"][0]
    assert first["message"] == error["message"] and first["reason"] and first["domain"] == "global", answer


def refused(code, function, /, *arguments, **named):
    """Checks that a request is refused with a status, a message, or one that begins with a code."""
    try:
        answer = function(*arguments, **named)
    except Refused as error:
        assert code in (error.code, error.message, error.status), f"{error.message}, not {code}"
        return error
    raise AssertionError(f"accepted, not {code}: {answer}")


def each(call, rows, **common):
    """Checks that a request is refused with each of the codes, for what it has in addition."""
    for code, body in rows:
        refused(code, call, **common | body)


def failure(*arguments):
    """The error of an emulator that cannot start."""
    ended = subprocess.run([os.environ["AUTH_EMULATOR"], "--port", "0", *arguments], capture_output=True, text=True,
                           timeout=60, check=False)
    assert ended.returncode != 0
    return ended.stderr


@contextlib.contextmanager
def running(*arguments, stderr=os.devnull):
    """An emulator that runs as long as the context."""
    said, command = [], [os.environ["AUTH_EMULATOR"], "--port", "0", "--project", PROJECT, *arguments]
    with running_program(command, stderr, r"http://(?:127\.0\.0\.1|localhost):(\d+)", said.append) as (process, port):
        emulator = Emulator(int(port))
        emulator.process, emulator.said = process, said
        yield emulator
