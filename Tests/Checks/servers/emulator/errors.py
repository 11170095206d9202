"""Every error of the second factors, provoked, and those that any request can get."""
import json

from client import OWNER, PASSWORD, PROJECT, TOKEN, TOOLKIT, each, refused

BOTH = {"state": "ENABLED", "enabledProviders": ["PHONE_SMS"], "providerConfigs": [
    {"state": "ENABLED", "totpProviderConfig": {"adjacentIntervals": 5}}]}


def starts_in_order(server):
    """Checks the order of errors: each request also has every fault that is checked later."""
    part = server.tenant(disableAuth=True)
    for method in ("signUp", "signInWithPassword", "signInWithEmailLink", "signInWithCustomToken", "signInWithIdp",
                   "update", "delete", "sendOobCode", "resetPassword", "createAuthUri"):
        refused("PROJECT_DISABLED", server.js, "accounts:" + method, {"tenantId": part})
    for method in ("Enrollment:start", "Enrollment:finalize", "Enrollment:withdraw", "SignIn:start", "SignIn:finalize"):
        refused("PROJECT_DISABLED", server.v2, method, tenantId=part)

    def configure(**mfa):
        server.admin("/config?updateMask=mfa", {"mfa": mfa}, "PATCH", "v2")
    configure(state="DISABLED")
    error = refused("OPERATION_NOT_ALLOWED", server.v2, "Enrollment:start")
    assert error.message == "OPERATION_NOT_ALLOWED : SMS based MFA not enabled.", error.message
    configure(state="ENABLED", enabledProviders=[], providerConfigs=[])
    for method, body in (("Enrollment:start", {"totpEnrollmentInfo": {}}),
                         ("Enrollment:finalize", {"totpVerificationInfo": {}}), ("SignIn:start", {}),
                         ("SignIn:finalize", {})):
        refused("OPERATION_NOT_ALLOWED", server.v2, method, **body)
    configure(**BOTH)

    def start(idToken=None, phoneEnrollmentInfo=None, **_):
        return server.v2("Enrollment:start", idToken=idToken, phoneEnrollmentInfo=phoneEnrollmentInfo)
    unsupported = "UNSUPPORTED_FIRST_FACTOR : MFA is not available for the given first factor."
    _, unverified = server.user(verified=False)
    _, user = server.user()
    each(start, [
        ("MISSING_ID_TOKEN", {}), ("INVALID_ID_TOKEN", {"idToken": "x"}),
        (unsupported, server.js("accounts:signUp", {})),
        (unsupported, server.js("accounts:signInWithCustomToken", {"token": '{"uid":"custom1"}'})),
        (unsupported, server.verify_phone("+15555550190")),
        ("UNVERIFIED_EMAIL : Need to verify email first before enrolling second factors.", unverified),
        ("INVALID_ARGUMENT : ((Missing phoneEnrollmentInfo.))", user),
        *(("INVALID_PHONE_NUMBER : Invalid format.", user | {"phoneEnrollmentInfo": {"phoneNumber": number}})
          for number in ["", "5555550100", "+0123456789", "+1", "+1555555010012345", "+1555 555"])])


def message(server, user, number):
    start = server.v2("Enrollment:start", idToken=user["idToken"], phoneEnrollmentInfo={"phoneNumber": number})
    return start["phoneSessionInfo"]["sessionInfo"]


def enrolled_already(server):
    _, user = server.user()
    user = server.enroll_phone(user["idToken"], "+15555550110")
    refused("SECOND_FACTOR_EXISTS : Phone number already enrolled as second factor for this account.",
            message, server, user, "+15555550110")
    for number in range(4):
        _, user = server.enroll_totp(user["idToken"], f"app {number}")
    refused("SECOND_FACTOR_LIMIT_EXCEEDED", server.enroll_totp, user["idToken"])


def too_many_messages(server):
    _, user = server.user()
    for _ in range(100):
        message(server, user, "+15555550120")
    refused("QUOTA_EXCEEDED", message, server, user, "+15555550120")


def too_old(server):
    email, user = server.user()
    server.advance(301)
    refused("CREDENTIAL_TOO_OLD_LOGIN_AGAIN", server.enroll_totp, user["idToken"])
    token = server.sign_in(email)["idToken"]
    server.enroll_totp(token)
    # A token without a verified second factor no longer allows changes, although the sign-in is recent.
    refused("CREDENTIAL_TOO_OLD_LOGIN_AGAIN", server.enroll_totp, token)


def too_many_attempts(server):
    email, secret, uid, _ = server.member()
    pending, wrong = server.pending(email), server.wrong_code(secret)
    for _ in range(4):
        refused("INVALID_CODE", server.prove_totp, pending, uid, wrong)
    refused("TOO_MANY_ATTEMPTS_TRY_LATER", server.prove_totp, pending, uid, wrong)


def finalizes(server):
    _, user = server.user()
    token = user["idToken"]
    info = server.v2("Enrollment:start", idToken=token, totpEnrollmentInfo={})["totpSessionInfo"]
    session, right = info["sessionInfo"], server.totp(info["sharedSecretKey"])

    def finish(sessionInfo=None, verificationCode=None, token=token):
        return server.v2("Enrollment:finalize", idToken=token, totpVerificationInfo={
            "sessionInfo": sessionInfo, "verificationCode": verificationCode})
    each(finish, [
        ("MISSING_ID_TOKEN", {"token": None}), ("MISSING_CODE", {"sessionInfo": ""}),
        ("MISSING_SESSION_INFO", {"verificationCode": "123456"}), ("MISSING_CODE", {"sessionInfo": session}),
        ("INVALID_SESSION_INFO", {"sessionInfo": "x", "verificationCode": "123456"}),
        *(("INVALID_CODE", {"sessionInfo": session, "verificationCode": code})
          for code in ["12345", "abcdef", "1234567", server.wrong_code(info["sharedSecretKey"])]),
        ("INVALID_SESSION_INFO", {
            "token": server.user()[1]["idToken"], "sessionInfo": session, "verificationCode": right})])
    server.advance(601)
    refused("SESSION_EXPIRED", finish, session, server.totp(info["sharedSecretKey"]))


def phone_codes(server, finish, session):
    """The errors of a code by text message, at an enrollment and at a sign-in."""
    right = server.sms(session)
    each(finish, [
        ("MISSING_CODE", {}), ("MISSING_SESSION_INFO", {"code": "123456"}), ("MISSING_CODE", {"sessionInfo": session}),
        ("INVALID_SESSION_INFO", {"sessionInfo": "x", "code": right}),
        ("INVALID_CODE", {"sessionInfo": session, "code": f"{(int(right) + 1) % 10**6:06}"})])
    server.advance(301)
    refused("SESSION_EXPIRED", finish, sessionInfo=session, code=right)


def finalizes_phone(server):
    _, user = server.user()
    refused("INVALID_ARGUMENT", server.v2, "Enrollment:finalize", idToken=user["idToken"])

    def finish(**info):
        return server.v2("Enrollment:finalize", idToken=user["idToken"], phoneVerificationInfo=info)
    phone_codes(server, finish, message(server, user, "+15555550130"))


def withdraws(server):
    each(lambda **body: server.v2("Enrollment:withdraw", **body), [
        ("MISSING_ID_TOKEN", {"idToken": None}), ("MFA_ENROLLMENT_NOT_FOUND", {}),
        ("MFA_ENROLLMENT_NOT_FOUND", {"mfaEnrollmentId": "x"})], idToken=server.user()[1]["idToken"])


def sign_ins(server):
    email, secret, uid, answer = server.member()
    server.enroll_phone(answer["idToken"], "+15555550140")
    pending = server.sign_in(email)
    credential, phone = pending["mfaPendingCredential"], pending["mfaInfo"][1]["mfaEnrollmentId"]

    def start(**body):
        return server.v2("SignIn:start", **{"mfaPendingCredential": credential, "mfaEnrollmentId": phone} | body)
    each(start, [
        ("MISSING_MFA_PENDING_CREDENTIAL", {"mfaPendingCredential": None}),
        ("MISSING_MFA_ENROLLMENT_ID", {"mfaEnrollmentId": None}),
        ("INVALID_MFA_PENDING_CREDENTIAL", {"mfaPendingCredential": "x"}),
        ("MFA_ENROLLMENT_NOT_FOUND", {"mfaEnrollmentId": "x"}),
        ("INVALID_ARGUMENT : MFA provider not supported!", {"mfaEnrollmentId": uid})])
    refused("MISSING_CREDENTIAL : Please set MFA Pending Credential.", server.v2, "SignIn:finalize",
            totpVerificationInfo={})
    for code, arguments in (
            ("MISSING_MFA_ENROLLMENT_ID", ("x", "", "")), ("MISSING_CODE", ("x", uid, "")),
            ("INVALID_MFA_PENDING_CREDENTIAL", ("x", uid, "123456")),
            ("MFA_ENROLLMENT_NOT_FOUND", (credential, "x", "123456")), ("INVALID_CODE", (credential, uid, "12345"))):
        refused(code, server.prove_totp, *arguments)

    def verify(**info):
        return server.v2("SignIn:finalize", mfaPendingCredential=credential, phoneVerificationInfo=info)
    session = start()["phoneResponseInfo"]["sessionInfo"]
    phone_codes(server, verify, session)
    # A number that belongs to a user with second factors is no first factor.
    server.update(answer["localId"], phoneNumber="+15555550149")
    refused("UNSUPPORTED_FIRST_FACTOR", server.verify_phone, "+15555550149")
    # Disabled meanwhile, then too old a credential: as in production, each kind of factor has its own answer.
    server.update(answer["localId"], disableUser=True)
    refused("USER_DISABLED", server.prove_totp, credential, uid, server.totp(secret))
    refused("USER_DISABLED", server.sign_in, email)
    server.update(answer["localId"], disableUser=False)
    server.advance(301)
    refused("TOTP_CHALLENGE_TIMEOUT : TOTP challenge timeout, provide first factor again.",
            server.prove_totp, credential, uid, server.totp(secret))
    refused("INVALID_MFA_PENDING_CREDENTIAL : MFA pending credential is expired.", start)


def tokens(server):
    _, user = server.user()
    token, local_id = user["idToken"], user["localId"]
    for body, code in (({}, "MISSING_GRANT_TYPE"), ({"grantType": "x"}, "INVALID_GRANT_TYPE"),
                       ({"grantType": "refresh_token"}, "MISSING_REFRESH_TOKEN")):
        refused(code, server.json, "POST", f"{TOKEN}?key=k", body)
    refused("TENANT_ID_MISMATCH", server.js, "accounts:lookup", {"idToken": token, "tenantId": "other"})
    server.update(local_id, validSince=str(int(server.now()) + 10))
    refused("TOKEN_EXPIRED", server.look, token)
    refused("EMAIL_NOT_FOUND", server.admin, "/accounts:sendOobCode", {
        "requestType": "PASSWORD_RESET", "email": "no-one@example.com", "returnOobLink": True})
    server.admin("/accounts:delete", {"localId": local_id})
    refused("USER_NOT_FOUND", server.refresh, user["refreshToken"])
    closed, person = server.tenant(allowPasswordSignup=False), {"email": "a@b.example", "password": PASSWORD}
    for code, method, body in (
            ("ADMIN_ONLY_OPERATION", "signUp", {}), ("OPERATION_NOT_ALLOWED", "signUp", person),
            ("UNSUPPORTED_TENANT_OPERATION", "signInWithPhoneNumber", {}),
            ("PASSWORD_LOGIN_DISABLED", "signInWithPassword", person)):
        refused(code, server.js, f"accounts:{method}", {"tenantId": closed, **body})


def forged_tokens(server):
    """Invalid tokens, and one made by another emulator, which is valid, as with Google's: there is no signature."""
    _, user = server.user()
    none, empty, payload = "eyJhbGciOiJub25lIn0", "W10", user["idToken"].split(".")[1]
    for token in ("a.b.c", f"{none}..", f".{payload}.", f"{none}.{empty}.", f"{none}.e30.", "x" * 500_000):
        refused("INVALID_ID_TOKEN", server.look, token)
    for token in ("x", empty):
        refused("INVALID_REFRESH_TOKEN", server.refresh, token)
    assert server.look(f"{none}.{payload}.")["localId"] == user["localId"]


def http_layer(server):
    def status(method, path, expected, **more):
        code, _, content = server.send(method, path, **more)
        assert code == expected, (code, content)
        return json.loads(content)["error"]
    path, config = f"{TOOLKIT}/v1/accounts:signUp", f"{TOOLKIT}/v2/projects/{PROJECT}/config"
    error = status("POST", path, 403, body={})
    assert error["status"] == "PERMISSION_DENIED" and "API key" in error["message"]
    assert status("POST", path, 401, body={}, headers={"Authorization": "Bearer x"})["status"] == "UNAUTHENTICATED"
    assert status("POST", f"{path}?key=k", 400, raw="{")["errors"][0]["reason"] == "parseError"
    assert "Unknown name" in status("POST", f"{path}?key=k", 400, body={"x": 1})["message"]
    for method, where, expected, more in (
            ("POST", f"{path}?key=k", 400, {"body": {"email": {}}}), ("POST", f"{path}?key=k", 400, {"raw": "[]"}),
            ("POST", f"{TOOLKIT}/v1/unknown?key=k", 404, {"body": {}}), ("GET", f"{path}?key=k", 405, {}),
            ("GET", f"{config}?key=k", 401, {}),
            ("GET", f"{TOOLKIT}/v2/projects/a%20b/config", 400, {"headers": OWNER}),
            ("POST", f"{TOOLKIT}/v2/accounts:revokeToken?key=k", 501, {"body": {}}),
            # Foundation's decoder ends a process at more than 512 levels. They are counted right only in UTF-8: in
            # UTF-16, one byte of a letter can look like a closing quote.
            *(("POST", f"{path}?key=k", 400, {"raw": raw}) for raw in (
                "[" * 513, '{"a":' * 100_000, *(('{"email":"\u2261","x":' + "[" * 2000).encode(f"utf-16-{end}")
                                                for end in ("le", "be")))),
            # More than 1 MB is refused, however it is sent.
            *(("POST", f"{path}?key=k", 413, {"raw": raw}) for raw in (
                b" " * ((1 << 20) + 1), (b" " * (1 << 16) for _ in range(20))))):
        status(method, where, expected, **more)
    # Just less is read. In a string, brackets do not count.
    assert server.js("accounts:signUp", {"email": server.new_email(), "password": "[" * ((1 << 20) - 80)})["localId"]
    for number in ("1e999", "-1e999", "9223372036854775807", "x"):
        query = f"{TOOLKIT}/v1/projects/{PROJECT}/accounts:batchGet?maxResults={number}"
        assert server.send("GET", query, headers=OWNER)[0] < 500
    refused("INSUFFICIENT_PERMISSION", server.js, "accounts:lookup", {"targetProjectId": "x"})
    # An Authorization header that is not Bearer is ignored.
    assert server.json("POST", f"{path}?key=k", {}, {"Authorization": "Basic x"})["localId"]
    asked = "Access-Control-Request-"
    code, headers, _ = server.send("OPTIONS", path, headers={
        "Origin": "http://a", f"{asked}Headers": "x-y", f"{asked}Private-Network": "true"})
    allowed = [headers[f"Access-Control-Allow-{name}"] for name in ("Origin", "Headers", "Private-Network")]
    assert code == 204 and allowed == ["http://a", "x-y", "true"]
