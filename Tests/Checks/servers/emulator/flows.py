"""The calls of the JS and iOS SDKs, in order, and their use of the responses."""
from client import OLD, PASSWORD, TOKEN, claims, parse_time, refused

# The SDKs' names of operations.
JS = {"create": "accounts:signUp", "mail": "accounts:sendOobCode", "update": "accounts:update",
      "look": "accounts:lookup", "password": "accounts:signInWithPassword", "delete": "accounts:delete"}
IOS = {"create": "signupNewUser", "mail": "getOobConfirmationCode", "update": "setAccountInfo",
       "look": "getAccountInfo", "password": "verifyPassword", "delete": "deleteAccount"}


class Client:
    """A signed-in user's app, with one of the SDKs."""

    def __init__(self, server, is_ios):
        self.server, self.is_ios = server, is_ios
        self.email = server.new_email()

    def call(self, name, **body):
        if self.is_ios:
            return self.server.ios(IOS[name], body)
        return self.server.js(JS[name], body)

    def v2(self, method, **body):
        return self.server.ios(f"mfa{method}", body) if self.is_ios else self.server.v2(method, **body)

    def look(self, token):
        user, = self.call("look", idToken=token)["users"]
        return user

    def fresh(self, token):
        """A refreshed token: JS sends a form, and needs `exp - iat`; iOS sends JSON in camel case."""
        if self.is_ios:
            return self.server.refresh(token)["access_token"]
        answer = self.server.json(
            "POST", f"{TOKEN}?key=fake-key", raw=f"grant_type=refresh_token&refresh_token={token}",
            headers={"Content-Type": "application/x-www-form-urlencoded"})
        assert answer["expires_in"] == "3600" and answer["token_type"] == "Bearer" and answer["project_id"] == "12345"
        return answer["id_token"]

    def sign_in(self):
        return self.call("password", email=self.email, password=PASSWORD, returnSecureToken=True)


def second_factor(token, kind):
    payload = claims(token)
    assert payload["exp"] - payload["iat"] == 3600
    assert payload["firebase"]["sign_in_second_factor"] == kind, payload
    return payload["firebase"]["second_factor_identifier"]


def life(server, is_ios):
    client = Client(server, is_ios)
    user = client.call("create", returnSecureToken=True, email=client.email, password=PASSWORD)
    secret, uid, token = enroll_app(server, client, user)
    prove, token = sign_in_by_app(server, client, user, secret, uid, token)
    sign_in_by_phone(server, client, is_ios, token)
    # unenroll of the only one: tokens, then the account
    server.advance(31)
    signed = prove(client.sign_in(), server.totp(secret))
    left = client.v2("Enrollment:withdraw", idToken=signed["idToken"], mfaEnrollmentId=uid)
    assert "sign_in_second_factor" not in claims(left["idToken"])["firebase"]
    assert client.look(client.fresh(left["refreshToken"]))["mfaInfo"] == []
    assert client.sign_in()["idToken"]
    client.call("delete", idToken=left["idToken"])
    refused("USER_NOT_FOUND", client.look, left["idToken"])


def enroll_app(server, client, user):
    email = client.email
    assert user["expiresIn"] == "3600" and user["kind"] == "identitytoolkit#SignupNewUserResponse"
    # sendEmailVerification, applyActionCode, reload, getIdToken(true)
    client.call("mail", requestType="VERIFY_EMAIL", idToken=user["idToken"])
    client.call("update", oobCode=server.oob(email, "VERIFY_EMAIL")["oobCode"])
    assert client.look(user["idToken"])["emailVerified"] is True
    fresh = client.fresh(user["refreshToken"])
    assert claims(fresh)["email_verified"] is True
    # generateSecret, enroll
    info = client.v2("Enrollment:start", idToken=user["idToken"], totpEnrollmentInfo={})["totpSessionInfo"]
    # iOS: as? Int and as? String: anything else makes an empty URL, or ends the app.
    assert (info["verificationCodeLength"], info["periodSec"], info["hashingAlgorithm"]) == (6, 30, "SHA1")
    assert 0 < parse_time(info["finalizeEnrollmentTime"]) - server.now() <= 600
    secret = info["sharedSecretKey"]
    enrolled = client.v2("Enrollment:finalize", idToken=fresh, displayName=None, totpVerificationInfo={
        "sessionInfo": info["sessionInfo"], "verificationCode": server.totp(secret)})
    assert enrolled["totpAuthInfo"] == {}
    token = client.fresh(enrolled["refreshToken"])
    uid = second_factor(token, "totp")
    entry, = client.look(token)["mfaInfo"]
    assert entry["mfaEnrollmentId"] == uid and entry["totpInfo"] == {} and "phoneInfo" not in entry
    assert 0 <= server.now() - parse_time(entry["enrolledAt"]) < 60
    return secret, uid, token


def sign_in_by_app(server, client, user, secret, uid, token):
    # signIn, resolveSignIn: each code is accepted at most once.
    before = client.look(token)["lastLoginAt"]
    server.advance(31)
    pending = client.sign_in()
    assert "idToken" not in pending and pending["localId"] == user["localId"]
    assert [hint["mfaEnrollmentId"] for hint in pending["mfaInfo"]] == [uid]
    assert client.look(token)["lastLoginAt"] == before

    def prove(pending, code):
        return client.v2("SignIn:finalize", mfaPendingCredential=pending["mfaPendingCredential"], mfaEnrollmentId=uid,
                         totpVerificationInfo={"verificationCode": code})
    refused("INVALID_CODE", prove, pending, server.wrong_code(secret))
    used = server.totp(secret)
    signed = prove(pending, used)
    assert second_factor(signed["idToken"], "totp") == uid
    assert int(client.look(signed["idToken"])["lastLoginAt"]) > int(before)
    refused("INVALID_CODE", prove, client.sign_in(), used)
    return prove, client.fresh(signed["refreshToken"])


def sign_in_by_phone(server, client, is_ios, token):
    # Then a phone, and a sign-in with it, with the masked number sent along. The session names the factor.
    number = "+15555550101" if is_ios else "+15555550100"
    start = client.v2("Enrollment:start", idToken=token, phoneEnrollmentInfo={"phoneNumber": number})
    session = start["phoneSessionInfo"]["sessionInfo"]
    enrolled = client.v2("Enrollment:finalize", idToken=token, displayName="mine", phoneVerificationInfo={
        "sessionInfo": session, "code": server.sms(session)})
    assert enrolled["phoneAuthInfo"] == {"phoneNumber": number}
    phone = second_factor(enrolled["idToken"], "phone")
    entry = client.look(enrolled["idToken"])["mfaInfo"][1]
    assert entry["phoneInfo"] == entry["unobfuscatedPhoneInfo"] == number and entry["displayName"] == "mine"
    pending = client.sign_in()
    hint, credential = pending["mfaInfo"][1], pending["mfaPendingCredential"]
    assert hint["phoneInfo"] == "+*******" + number[-4:] and "unobfuscatedPhoneInfo" not in hint
    start = client.v2("SignIn:start", mfaPendingCredential=credential, mfaEnrollmentId=phone, phoneSignInInfo={
        "phoneNumber": hint["phoneInfo"], "captchaResponse": "NO_RECAPTCHA"})
    session = start["phoneResponseInfo"]["sessionInfo"]
    verification = {"sessionInfo": session, "code": server.sms(session)}
    signed = client.v2("SignIn:finalize", mfaPendingCredential=credential, phoneVerificationInfo=verification)
    assert all(code["sessionInfo"] != session for code in server.own("verificationCodes")["verificationCodes"])
    refused("INVALID_SESSION_INFO", client.v2, "SignIn:finalize", mfaPendingCredential=credential,
            phoneVerificationInfo=verification)
    assert second_factor(signed["idToken"], "phone") == phone
    # unenroll of the newer of two: no tokens, and the sign-in ends
    assert "idToken" not in client.v2("Enrollment:withdraw", idToken=signed["idToken"], mfaEnrollmentId=phone)
    refused("TOKEN_EXPIRED", client.look, signed["idToken"])
    refused("TOKEN_EXPIRED", client.fresh, signed["refreshToken"])


def js(server):
    life(server, is_ios=False)


def ios(server):
    life(server, is_ios=True)
    # The old paths take any method.
    server.json("GET", f"{OLD}/getProjectConfig?key=k")


def android(server):
    """Snake case, and enumerations as integers."""
    email, _ = server.user()
    answer = server.js("accounts:signInWithPassword", {
        "email": email, "password": PASSWORD, "return_secure_token": True, "client_type": 2})
    start = server.v2("Enrollment:start", id_token=answer["idToken"], totp_enrollment_info={})
    assert start["totpSessionInfo"]["sharedSecretKey"]
