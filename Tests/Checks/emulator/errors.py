"""Every error of the second factors, provoked: section 4, and those of section 1 and 2 that any request can get."""
import json

from client import OWNER, PASSWORD, PROJECT, TOKEN, TOOLKIT, claims, refused

ENROLL = "accounts/mfaEnrollment:"
SIGN_IN = "accounts/mfaSignIn:"


def v2(server, method, body):
    return server.js(method, body, "v2")


def configure(server, mfa, mask="mfa"):
    return server.admin(f"/config?updateMask={mask}", {"mfa": mfa}, "PATCH", "v2")


def start(server, token, **more):
    return v2(server, ENROLL + "start", {"idToken": token, "totpEnrollmentInfo": {}, **more})


def starts_in_order(server):
    """Checks the order of errors: each request also has every fault that is checked later."""
    part = server.admin("/tenants", {"disableAuth": True}, version="v2")["tenantId"]
    refused("PROJECT_DISABLED", v2, server, ENROLL + "start", {"tenantId": part})
    for method in ("signUp", "signInWithPassword", "signInWithEmailLink", "signInWithCustomToken", "signInWithIdp",
                   "update", "delete", "sendOobCode", "resetPassword", "createAuthUri"):
        refused("PROJECT_DISABLED", server.js, "accounts:" + method, {"tenantId": part})
    for method in (ENROLL + "finalize", ENROLL + "withdraw", SIGN_IN + "start", SIGN_IN + "finalize"):
        refused("PROJECT_DISABLED", v2, server, method, {"tenantId": part})
    configure(server, {"state": "DISABLED"})
    error = refused("OPERATION_NOT_ALLOWED", v2, server, ENROLL + "start", {})
    assert error.message == "OPERATION_NOT_ALLOWED : SMS based MFA not enabled.", error.message
    configure(server, {"state": "ENABLED", "enabledProviders": [], "providerConfigs": []})
    refused("OPERATION_NOT_ALLOWED", v2, server, ENROLL + "start", {"totpEnrollmentInfo": {}})
    refused("OPERATION_NOT_ALLOWED", v2, server, ENROLL + "finalize", {"totpVerificationInfo": {}})
    refused("OPERATION_NOT_ALLOWED", v2, server, SIGN_IN + "start", {})
    refused("OPERATION_NOT_ALLOWED", v2, server, SIGN_IN + "finalize", {})
    configure(server, {"state": "ENABLED", "enabledProviders": ["PHONE_SMS"], "providerConfigs": [
        {"state": "ENABLED", "totpProviderConfig": {"adjacentIntervals": 5}}]})
    refused("MISSING_ID_TOKEN", v2, server, ENROLL + "start", {})
    refused("INVALID_ID_TOKEN", v2, server, ENROLL + "start", {"idToken": "x"})
    anonymous = server.js("accounts:signUp", {})["idToken"]
    refused("UNSUPPORTED_FIRST_FACTOR : MFA is not available for the given first factor.",
            v2, server, ENROLL + "start", {"idToken": anonymous})
    custom = server.js("accounts:signInWithCustomToken", {"token": '{"uid":"custom1"}'})["idToken"]
    refused("UNSUPPORTED_FIRST_FACTOR", start, server, custom)
    session = server.js("accounts:sendVerificationCode", {"phoneNumber": "+15555550190"})["sessionInfo"]
    phone = server.js("accounts:signInWithPhoneNumber", {"sessionInfo": session, "code": server.sms(session)})
    refused("UNSUPPORTED_FIRST_FACTOR", start, server, phone["idToken"])
    _, user = server.user(verified=False)
    refused("UNVERIFIED_EMAIL : Need to verify email first before enrolling second factors.",
            v2, server, ENROLL + "start", {"idToken": user["idToken"]})
    _, user = server.user()
    refused("INVALID_ARGUMENT : ((Missing phoneEnrollmentInfo.))",
            v2, server, ENROLL + "start", {"idToken": user["idToken"]})
    for number in ["", "5555550100", "+0123456789", "+1", "+1555555010012345", "+1555 555"]:
        refused("INVALID_PHONE_NUMBER : Invalid format.", v2, server, ENROLL + "start",
                {"idToken": user["idToken"], "phoneEnrollmentInfo": {"phoneNumber": number}})


def enrolled_already(server):
    _, user = server.user()
    token = server.enroll_phone(user["idToken"], "+15555550110")["idToken"]
    refused("SECOND_FACTOR_EXISTS : Phone number already enrolled as second factor for this account.",
            server.enroll_phone, token, "+15555550110")
    for number in range(4):
        _, answer = server.enroll_totp(token, f"app {number}")
        token = answer["idToken"]
    refused("SECOND_FACTOR_LIMIT_EXCEEDED", server.enroll_totp, token)


def too_many_messages(server):
    _, user = server.user()
    body = {"idToken": user["idToken"], "phoneEnrollmentInfo": {"phoneNumber": "+15555550120"}}
    for _ in range(100):
        v2(server, ENROLL + "start", body)
    refused("QUOTA_EXCEEDED", v2, server, ENROLL + "start", body)


def too_old(server):
    email, user = server.user()
    server.advance(301)
    refused("CREDENTIAL_TOO_OLD_LOGIN_AGAIN", start, server, user["idToken"])
    token = server.sign_in(email)["idToken"]
    secret, answer = server.enroll_totp(token)
    # A token without a verified second factor no longer allows changes, although the sign-in is recent.
    refused("CREDENTIAL_TOO_OLD_LOGIN_AGAIN", start, server, token)
    server.advance(301)
    uid = claims(answer["idToken"])["firebase"]["second_factor_identifier"]
    refused("CREDENTIAL_TOO_OLD_LOGIN_AGAIN", v2, server, ENROLL + "withdraw",
            {"idToken": answer["idToken"], "mfaEnrollmentId": uid})


def too_many_attempts(server):
    email, user = server.user()
    secret, answer = server.enroll_totp(user["idToken"])
    uid = claims(answer["idToken"])["firebase"]["second_factor_identifier"]
    server.own("clock", "POST", {"stopped": True, "advanceSeconds": 31})
    pending = server.sign_in(email)["mfaPendingCredential"]
    wrong = server.wrong_code(secret)
    for _ in range(4):
        refused("INVALID_CODE", server.prove_totp, pending, uid, wrong)
    refused("TOO_MANY_ATTEMPTS_TRY_LATER", server.prove_totp, pending, uid, server.totp(secret))
    server.own("clock", "POST", {"stopped": False, "advanceSeconds": 2})
    assert server.prove_totp(pending, uid, server.totp(secret))["idToken"]


def finalizes(server):
    _, user = server.user()
    token = user["idToken"]
    refused("MISSING_ID_TOKEN", v2, server, ENROLL + "finalize", {"totpVerificationInfo": {}})
    info = start(server, token)["totpSessionInfo"]

    def finish(**info):
        return v2(server, ENROLL + "finalize", {"idToken": token, "totpVerificationInfo": info})
    refused("MISSING_CODE", finish, sessionInfo="")
    refused("MISSING_SESSION_INFO", finish, verificationCode="123456")
    refused("MISSING_CODE", finish, sessionInfo=info["sessionInfo"])
    refused("INVALID_SESSION_INFO", finish, sessionInfo="x", verificationCode="123456")
    for code in ["12345", "abcdef", "1234567"]:
        refused("INVALID_CODE", finish, sessionInfo=info["sessionInfo"], verificationCode=code)
    right = server.totp(info["sharedSecretKey"])
    refused("INVALID_CODE", finish, sessionInfo=info["sessionInfo"],
            verificationCode=f"{(int(right) + 1) % 10**6:06}")
    _, other = server.user()
    refused("INVALID_SESSION_INFO", v2, server, ENROLL + "finalize", {
        "idToken": other["idToken"],
        "totpVerificationInfo": {"sessionInfo": info["sessionInfo"], "verificationCode": right}})
    server.advance(601)
    refused("SESSION_EXPIRED", finish, sessionInfo=info["sessionInfo"],
            verificationCode=server.totp(info["sharedSecretKey"]))


def finished_session(server):
    """A session ends with its enrollment."""
    _, user = server.user()
    info = start(server, user["idToken"])["totpSessionInfo"]
    token = user["idToken"]
    for message in (None, "INVALID_SESSION_INFO"):
        body = {"idToken": token, "totpVerificationInfo": {
            "sessionInfo": info["sessionInfo"], "verificationCode": server.totp(info["sharedSecretKey"])}}
        if message:
            refused(message, v2, server, ENROLL + "finalize", body)
        else:
            token = v2(server, ENROLL + "finalize", body)["idToken"]
        server.advance(31)


def finalizes_phone(server):
    _, user = server.user()
    token = user["idToken"]
    refused("INVALID_ARGUMENT", v2, server, ENROLL + "finalize", {"idToken": token})

    def finish(**info):
        return v2(server, ENROLL + "finalize", {"idToken": token, "phoneVerificationInfo": info})
    session = v2(server, ENROLL + "start", {
        "idToken": token, "phoneEnrollmentInfo": {"phoneNumber": "+15555550130"}})["phoneSessionInfo"]["sessionInfo"]
    refused("MISSING_CODE", finish)
    refused("MISSING_SESSION_INFO", finish, code="123456")
    refused("MISSING_CODE", finish, sessionInfo=session)
    refused("INVALID_SESSION_INFO", finish, sessionInfo="x", code="123456")
    right = server.sms(session)
    refused("INVALID_CODE", finish, sessionInfo=session, code=f"{(int(right) + 1) % 10**6:06}")
    server.advance(301)
    refused("SESSION_EXPIRED", finish, sessionInfo=session, code=right)


def withdraws(server):
    _, user = server.user()
    refused("MISSING_ID_TOKEN", v2, server, ENROLL + "withdraw", {})
    refused("MFA_ENROLLMENT_NOT_FOUND", v2, server, ENROLL + "withdraw", {"idToken": user["idToken"]})
    refused("MFA_ENROLLMENT_NOT_FOUND", v2, server, ENROLL + "withdraw",
            {"idToken": user["idToken"], "mfaEnrollmentId": "x"})


def sign_in_starts(server):
    email, user = server.user()
    secret, answer = server.enroll_totp(user["idToken"])
    uid = claims(answer["idToken"])["firebase"]["second_factor_identifier"]
    server.enroll_phone(answer["idToken"], "+15555550140")
    pending = server.sign_in(email)
    credential, phone = pending["mfaPendingCredential"], pending["mfaInfo"][1]["mfaEnrollmentId"]
    refused("MISSING_MFA_PENDING_CREDENTIAL", v2, server, SIGN_IN + "start", {"mfaEnrollmentId": phone})
    refused("MISSING_MFA_ENROLLMENT_ID", v2, server, SIGN_IN + "start", {"mfaPendingCredential": credential})
    refused("INVALID_MFA_PENDING_CREDENTIAL", v2, server, SIGN_IN + "start",
            {"mfaPendingCredential": "x", "mfaEnrollmentId": phone})
    refused("MFA_ENROLLMENT_NOT_FOUND", v2, server, SIGN_IN + "start",
            {"mfaPendingCredential": credential, "mfaEnrollmentId": "x"})
    refused("INVALID_ARGUMENT : MFA provider not supported!", v2, server, SIGN_IN + "start",
            {"mfaPendingCredential": credential, "mfaEnrollmentId": uid})
    # finalize
    refused("MISSING_CREDENTIAL : Please set MFA Pending Credential.", v2, server, SIGN_IN + "finalize",
            {"totpVerificationInfo": {}})
    refused("MISSING_MFA_ENROLLMENT_ID", server.prove_totp, "x", "", "")
    refused("MISSING_CODE", server.prove_totp, "x", uid, "")
    refused("INVALID_MFA_PENDING_CREDENTIAL", server.prove_totp, "x", uid, "123456")
    refused("MFA_ENROLLMENT_NOT_FOUND", server.prove_totp, credential, "x", "123456")
    refused("INVALID_CODE", server.prove_totp, credential, uid, "12345")

    def verify(**info):
        return v2(server, SIGN_IN + "finalize", {"mfaPendingCredential": credential, "phoneVerificationInfo": info})
    session = v2(server, SIGN_IN + "start", {"mfaPendingCredential": credential, "mfaEnrollmentId": phone})
    session = session["phoneResponseInfo"]["sessionInfo"]
    right = server.sms(session)
    refused("MISSING_CODE", verify)
    refused("MISSING_SESSION_INFO", verify, code=right)
    refused("MISSING_CODE", verify, sessionInfo=session)
    refused("INVALID_SESSION_INFO", verify, sessionInfo="x", code=right)
    refused("INVALID_CODE", verify, sessionInfo=session, code=f"{(int(right) + 1) % 10**6:06}")
    server.advance(301)
    refused("SESSION_EXPIRED", verify, sessionInfo=session, code=right)
    refused("UNSUPPORTED_FIRST_FACTOR", sign_in_by_phone, server, email)
    # Disabled meanwhile, then too old a credential.
    local = server.sign_in(email)["localId"]
    server.admin("/accounts:update", {"localId": local, "disableUser": True})
    refused("USER_DISABLED", server.prove_totp, credential, uid, server.totp(secret))
    refused("USER_DISABLED", server.sign_in, email)
    server.admin("/accounts:update", {"localId": local, "disableUser": False})
    server.advance(301)
    # As in production, each kind of factor has its own answer.
    refused("TOTP_CHALLENGE_TIMEOUT : TOTP challenge timeout, provide first factor again.",
            server.prove_totp, credential, uid, server.totp(secret))
    expired = "INVALID_MFA_PENDING_CREDENTIAL : MFA pending credential is expired."
    refused(expired, verify, sessionInfo=session, code=right)
    refused(expired, v2, server, SIGN_IN + "start", {"mfaPendingCredential": credential, "mfaEnrollmentId": phone})


def sign_in_by_phone(server, email):
    """A number that belongs to a user with second factors."""
    user, = server.admin("/accounts:lookup", {"email": [email]})["users"]
    server.admin("/accounts:update", {"localId": user["localId"], "phoneNumber": "+15555550149"})
    return server.js("accounts:sendVerificationCode", {"phoneNumber": "+15555550149"})


def tokens(server):
    email, user = server.user()
    token = user["idToken"]
    for body, code in [
        ({}, "MISSING_GRANT_TYPE"), ({"grantType": "x"}, "INVALID_GRANT_TYPE"),
        ({"grantType": "refresh_token"}, "MISSING_REFRESH_TOKEN"),
        ({"grantType": "refresh_token", "refreshToken": "x"}, "INVALID_REFRESH_TOKEN"),
    ]:
        refused(code, server.json, "POST", f"{TOKEN}?key=k", body)
    refused("TENANT_ID_MISMATCH", server.js, "accounts:lookup", {"idToken": token, "tenantId": "other"})
    server.admin("/accounts:update", {"localId": user["localId"], "validSince": str(int(server.now()) + 10)})
    refused("TOKEN_EXPIRED", server.js, "accounts:lookup", {"idToken": token})
    refused("TOKEN_EXPIRED", server.json, "POST", f"{TOKEN}?key=k",
            {"grant_type": "refresh_token", "refresh_token": user["refreshToken"]})
    server.admin("/accounts:delete", {"localId": user["localId"]})
    refused("USER_NOT_FOUND", server.js, "accounts:lookup", {"idToken": token})
    refused("USER_NOT_FOUND", server.json, "POST", f"{TOKEN}?key=k",
            {"grantType": "refresh_token", "refreshToken": user["refreshToken"]})
    closed = server.admin("/tenants", {"allowPasswordSignup": False}, version="v2")["tenantId"]
    refused("ADMIN_ONLY_OPERATION", server.js, "accounts:signUp", {"tenantId": closed})
    refused("OPERATION_NOT_ALLOWED", server.js, "accounts:signUp",
            {"tenantId": closed, "email": "a@b.example", "password": PASSWORD})
    refused("UNSUPPORTED_TENANT_OPERATION", server.js, "accounts:sendVerificationCode",
            {"tenantId": closed, "phoneNumber": "+15555550100"})
    refused("UNSUPPORTED_TENANT_OPERATION", server.js, "accounts:signInWithPhoneNumber", {"tenantId": closed})
    refused("PASSWORD_LOGIN_DISABLED", server.js, "accounts:signInWithPassword",
            {"tenantId": closed, "email": "a@b.example", "password": PASSWORD})


def http_layer(server):
    def status(method, path, expected, **more):
        code, _, content = server.send(method, path, **more)
        assert code == expected, (code, content)
        return json.loads(content)["error"]
    path = f"{TOOLKIT}/v1/accounts:signUp"
    error = status("POST", path, 403, body={})
    assert error["status"] == "PERMISSION_DENIED" and "API key" in error["message"]
    assert status("POST", path, 401, body={}, headers={"Authorization": "Bearer x"})["status"] == "UNAUTHENTICATED"
    assert status("POST", f"{path}?key=k", 400, raw="{")["errors"][0]["reason"] == "parseError"
    assert status("POST", f"{path}?key=k", 400, raw="[" * 100_000)["status"] == "INVALID_ARGUMENT"
    assert "Unknown name" in status("POST", f"{path}?key=k", 400, body={"x": 1})["message"]
    status("POST", f"{path}?key=k", 400, body={"email": {}})
    status("POST", f"{path}?key=k", 400, raw="[]")
    status("POST", f"{path}?key=k", 413, raw='{"email":"' + "x" * (1 << 20) + '"}')
    status("POST", f"{TOOLKIT}/v1/unknown?key=k", 404, body={})
    status("GET", f"{path}?key=k", 405)
    status("GET", f"{TOOLKIT}/v2/projects/{PROJECT}/config?key=k", 401)
    status("GET", f"{TOOLKIT}/v2/projects/a%20b/config", 400, headers=OWNER)
    status("POST", f"{TOOLKIT}/v2/accounts:revokeToken?key=k", 501, body={})
    refused("INSUFFICIENT_PERMISSION", server.js, "accounts:lookup", {"targetProjectId": "x"})
    # An Authorization header that is not Bearer is ignored, and ya29. marks Google's access tokens.
    assert server.json("POST", f"{path}?key=k", {}, {"Authorization": "Basic x"})["localId"]
    server.json("GET", f"{TOOLKIT}/v2/projects/{PROJECT}/config", headers={"Authorization": "bearer ya29.x"})
    code, headers, _ = server.send("OPTIONS", path, headers={
        "Origin": "http://a", "Access-Control-Request-Headers": "x-y",
        "Access-Control-Request-Private-Network": "true"})
    assert code == 204 and headers["Access-Control-Allow-Origin"] == "http://a"
    assert headers["Access-Control-Allow-Headers"] == "x-y"
    assert headers["Access-Control-Allow-Private-Network"] == "true"


ALL = [starts_in_order, enrolled_already, too_many_messages, too_old, too_many_attempts, finalizes, finished_session,
       finalizes_phone, withdraws, sign_in_starts, tokens, http_layer]
