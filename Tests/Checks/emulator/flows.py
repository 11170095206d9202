"""What the JS and iOS SDKs call, in their order, and what they do with the answers: sections 7 (a) and (b)."""
from client import OLD, PASSWORD, TOKEN, TOOLKIT, claims, parse_time, refused


def js_totp(server):
    email = server.new_email()
    # createUser
    user = server.js("accounts:signUp", {
        "returnSecureToken": True, "email": email, "password": PASSWORD, "clientType": "CLIENT_TYPE_WEB"})
    assert user["expiresIn"] == "3600" and user["kind"] == "identitytoolkit#SignupNewUserResponse"
    look(server, user["idToken"])
    # sendEmailVerification, applyActionCode, reload, getIdToken(true)
    server.js("accounts:sendOobCode", {"requestType": "VERIFY_EMAIL", "idToken": user["idToken"]})
    code = server.oob(email, "VERIFY_EMAIL")
    server.js("accounts:update", {"oobCode": code["oobCode"]})
    assert look(server, user["idToken"])["emailVerified"] is True
    fresh = form_token(server, user["refreshToken"])
    assert claims(fresh["id_token"])["email_verified"] is True
    # generateSecret, enroll: also with the token of before the verification
    start = server.js("accounts/mfaEnrollment:start", {"idToken": user["idToken"], "totpEnrollmentInfo": {}}, "v2")
    info = start["totpSessionInfo"]
    assert info["verificationCodeLength"] == 6 and info["periodSec"] == 30 and info["hashingAlgorithm"] == "SHA1"
    assert parse_time(info["finalizeEnrollmentTime"]) > server.now()
    enrolled = server.js("accounts/mfaEnrollment:finalize", {
        "idToken": fresh["id_token"], "displayName": None, "totpVerificationInfo": {
            "sessionInfo": info["sessionInfo"], "verificationCode": server.totp(info["sharedSecretKey"])}}, "v2")
    assert enrolled["totpAuthInfo"] == {} and enrolled["refreshToken"]
    uid = check_second_factor(enrolled["idToken"], "totp")
    entry, = look(server, enrolled["idToken"])["mfaInfo"]
    assert entry["mfaEnrollmentId"] == uid and entry["totpInfo"] == {} and "phoneInfo" not in entry
    parse_time(entry["enrolledAt"])
    # signIn, resolveSignIn
    before = look(server, enrolled["idToken"])["lastLoginAt"]
    server.advance(31)
    pending = server.sign_in(email)
    assert "idToken" not in pending and pending["localId"] == user["localId"] and pending["mfaPendingCredential"]
    assert [hint["mfaEnrollmentId"] for hint in pending["mfaInfo"]] == [uid]
    assert look(server, enrolled["idToken"])["lastLoginAt"] == before
    wrong = "000000" if server.totp(info["sharedSecretKey"]) != "000000" else "000001"
    refused("INVALID_CODE", server.prove_totp, pending["mfaPendingCredential"], uid, wrong)
    used = server.totp(info["sharedSecretKey"])
    signed = server.prove_totp(pending["mfaPendingCredential"], uid, used)
    assert check_second_factor(signed["idToken"], "totp") == uid
    assert int(look(server, signed["idToken"])["lastLoginAt"]) > int(before)
    # reauthenticate; a code is accepted once
    pending = server.sign_in(email)
    refused("INVALID_CODE", server.prove_totp, pending["mfaPendingCredential"], uid, used)
    server.advance(31)
    signed = server.prove_totp(pending["mfaPendingCredential"], uid, server.totp(info["sharedSecretKey"]))
    kept = form_token(server, signed["refreshToken"])
    assert check_second_factor(kept["id_token"], "totp") == uid
    # unenroll, delete
    left = server.js("accounts/mfaEnrollment:withdraw", {"idToken": signed["idToken"], "mfaEnrollmentId": uid}, "v2")
    assert "sign_in_second_factor" not in claims(left["idToken"])["firebase"]
    assert look(server, left["idToken"])["mfaInfo"] == []
    assert server.sign_in(email)["idToken"]
    server.js("accounts:delete", {"idToken": left["idToken"]})
    refused("USER_NOT_FOUND", look, server, left["idToken"])


def js_phone(server):
    email, user = server.user()
    status, _, _ = server.send("GET", f"{TOOLKIT}/v2/recaptchaConfig?key=k&clientType=CLIENT_TYPE_WEB")
    assert status == 501
    enrolled = server.enroll_phone(user["idToken"], "+15555550100", "mine")
    assert enrolled["phoneAuthInfo"] == {"phoneNumber": "+15555550100"}
    uid = check_second_factor(enrolled["idToken"], "phone")
    entry, = look(server, enrolled["idToken"])["mfaInfo"]
    assert entry["phoneInfo"] == entry["unobfuscatedPhoneInfo"] == "+15555550100" and "totpInfo" not in entry
    assert entry["displayName"] == "mine"
    pending = server.sign_in(email)
    hint, = pending["mfaInfo"]
    assert hint["phoneInfo"] == "+*******0100" and "unobfuscatedPhoneInfo" not in hint
    start = server.js("accounts/mfaSignIn:start", {
        "mfaPendingCredential": pending["mfaPendingCredential"], "mfaEnrollmentId": uid,
        "phoneSignInInfo": {"captchaResponse": "NO_RECAPTCHA", "clientType": "CLIENT_TYPE_WEB"}}, "v2")
    session = start["phoneResponseInfo"]["sessionInfo"]
    # No mfaEnrollmentId: the session names the factor.
    body = {"mfaPendingCredential": pending["mfaPendingCredential"],
            "phoneVerificationInfo": {"sessionInfo": session, "code": server.sms(session)}}
    signed = server.js("accounts/mfaSignIn:finalize", body, "v2")
    assert check_second_factor(signed["idToken"], "phone") == uid
    assert all(code["sessionInfo"] != session for code in server.own("verificationCodes")["verificationCodes"])
    refused("INVALID_SESSION_INFO", server.js, "accounts/mfaSignIn:finalize", body, "v2")


def ios(server):
    email = server.new_email()
    # createUser
    user = server.ios("signupNewUser", {"email": email, "password": PASSWORD, "returnSecureToken": True})
    assert isinstance(user["expiresIn"], str)
    ios_look(server, user["idToken"])
    # verify
    server.ios("getOobConfirmationCode", {"requestType": "VERIFY_EMAIL", "idToken": user["idToken"]})
    server.ios("setAccountInfo", {"oobCode": server.oob(email, "VERIFY_EMAIL")["oobCode"], "returnSecureToken": True})
    # generateSecret, enroll
    start = server.ios2("mfaEnrollment:start", {"idToken": user["idToken"], "totpEnrollmentInfo": {}})
    info = start["totpSessionInfo"]
    # as? Int and as? String: anything else makes an empty URL, or ends the app
    assert type(info["verificationCodeLength"]) is int and type(info["periodSec"]) is int
    assert all(type(info[name]) is str for name in ("sharedSecretKey", "hashingAlgorithm", "sessionInfo"))
    parse_time(info["finalizeEnrollmentTime"])
    secret = info["sharedSecretKey"]
    enrolled = server.ios2("mfaEnrollment:finalize", {
        "idToken": user["idToken"], "displayName": "App", "totpVerificationInfo": {
            "sessionInfo": info["sessionInfo"], "verificationCode": server.totp(secret)}})
    fresh = json_token(server, enrolled["refreshToken"])
    uid = check_second_factor(fresh["access_token"], "totp")
    parse_time(ios_look(server, fresh["access_token"])["mfaInfo"][0]["enrolledAt"])
    # signIn
    server.advance(31)
    pending = server.ios("verifyPassword", {"email": email, "password": PASSWORD, "returnSecureToken": True})
    assert "idToken" not in pending and pending["mfaInfo"][0]["mfaEnrollmentId"] == uid
    signed = server.ios2("mfaSignIn:finalize", {
        "mfaPendingCredential": pending["mfaPendingCredential"], "mfaEnrollmentId": uid,
        "totpVerificationInfo": {"verificationCode": server.totp(secret)}})
    fresh = json_token(server, signed["refreshToken"])
    # phone enrolment beside it: no call of reCAPTCHA; then a sign-in by it, with the masked number sent along
    start = server.ios2("mfaEnrollment:start", {
        "idToken": fresh["access_token"], "phoneEnrollmentInfo": {"phoneNumber": "+15555550101"}})
    session = start["phoneSessionInfo"]["sessionInfo"]
    enrolled = server.ios2("mfaEnrollment:finalize", {
        "idToken": fresh["access_token"], "displayName": "Phone",
        "phoneVerificationInfo": {"sessionInfo": session, "code": server.sms(session)}})
    fresh = json_token(server, enrolled["refreshToken"])
    phone = check_second_factor(fresh["access_token"], "phone")
    assert len(ios_look(server, fresh["access_token"])["mfaInfo"]) == 2
    pending = server.ios("verifyPassword", {"email": email, "password": PASSWORD, "returnSecureToken": True})
    masked = pending["mfaInfo"][1]["phoneInfo"]
    start = server.ios2("mfaSignIn:start", {
        "mfaPendingCredential": pending["mfaPendingCredential"], "mfaEnrollmentId": phone,
        "phoneSignInInfo": {"phoneNumber": masked}})
    session = start["phoneResponseInfo"]["sessionInfo"]
    signed = server.ios2("mfaSignIn:finalize", {
        "mfaPendingCredential": pending["mfaPendingCredential"],
        "phoneVerificationInfo": {"sessionInfo": session, "code": server.sms(session)}})
    fresh = json_token(server, signed["refreshToken"])
    # unenroll of the newest of two: no tokens, and the sign-in is over
    left = server.ios2("mfaEnrollment:withdraw", {"idToken": fresh["access_token"], "mfaEnrollmentId": phone})
    assert "idToken" not in left and "refreshToken" not in left
    refused("TOKEN_EXPIRED", ios_look, server, fresh["access_token"])
    refused("TOKEN_EXPIRED", json_token, server, fresh["refresh_token"])
    # of the only one: tokens, and then a token and the account
    server.advance(31)
    pending = server.ios("verifyPassword", {"email": email, "password": PASSWORD, "returnSecureToken": True})
    signed = server.ios2("mfaSignIn:finalize", {
        "mfaPendingCredential": pending["mfaPendingCredential"], "mfaEnrollmentId": uid,
        "totpVerificationInfo": {"verificationCode": server.totp(secret)}})
    left = server.ios2("mfaEnrollment:withdraw", {"idToken": signed["idToken"], "mfaEnrollmentId": uid})
    fresh = json_token(server, left["refreshToken"])
    assert ios_look(server, fresh["access_token"])["mfaInfo"] == []
    # the old paths take any method
    server.json("GET", f"{OLD}/getProjectConfig?key=k")


def look(server, token):
    user, = server.js("accounts:lookup", {"idToken": token})["users"]
    return user


def ios_look(server, token):
    users = server.ios("getAccountInfo", {"idToken": token})["users"]
    assert len(users) == 1
    return users[0]


def form_token(server, token):
    """As JS: a form. JS wants `exp - iat`, and takes the project's number as it is."""
    answer = server.json("POST", f"{TOKEN}?key=fake-key", raw=f"grant_type=refresh_token&refresh_token={token}",
                         headers={"Content-Type": "application/x-www-form-urlencoded"})
    assert answer["expires_in"] == "3600" and answer["token_type"] == "Bearer" and answer["project_id"] == "12345"
    return answer


def json_token(server, token):
    """As iOS: JSON in camel case."""
    return server.json("POST", f"{TOKEN}?key=fake-key", {"grantType": "refresh_token", "refreshToken": token})


def check_second_factor(token, kind):
    payload = claims(token)
    assert payload["exp"] - payload["iat"] == 3600
    assert payload["firebase"]["sign_in_second_factor"] == kind, payload
    return payload["firebase"]["second_factor_identifier"]


ALL = [js_totp, js_phone, ios]
