"""`--like-google-emulator`: no revocation, no required recent sign-in, no locks."""
from client import TOKEN, claims, refused
from errors import finished_session

ARGUMENTS = ["--like-google-emulator"]


def lenient(server):
    email, user = server.user()
    server.advance(3000)
    secret, first = server.enroll_totp(user["idToken"])
    uid = claims(first["idToken"])["firebase"]["second_factor_identifier"]
    server.own("clock", "POST", {"stopped": True, "advanceSeconds": 31})
    pending = server.sign_in(email)["mfaPendingCredential"]
    wrong = server.wrong_code(secret)
    for _ in range(30):
        refused("INVALID_CODE", server.prove_totp, pending, uid, wrong)
    signed = server.prove_totp(pending, uid, server.totp(secret))
    both = server.enroll_phone(signed["idToken"], "+15555550100")
    phone = claims(both["idToken"])["firebase"]["second_factor_identifier"]
    left = server.js("accounts/mfaEnrollment:withdraw", {"idToken": both["idToken"], "mfaEnrollmentId": phone}, "v2")
    assert left["idToken"] and left["refreshToken"]
    for token in (both["idToken"], left["idToken"]):
        info, = server.js("accounts:lookup", {"idToken": token})["users"][0]["mfaInfo"]
        assert info["mfaEnrollmentId"] == uid
    assert server.json("POST", f"{TOKEN}?key=k", {"grantType": "refresh_token", "refreshToken": both["refreshToken"]})


def several(server):
    """The token from before the first enrollment is enough for others, which are checked as usual."""
    email, user = server.user()
    token = user["idToken"]
    secret, first = server.enroll_totp(token)
    phone = server.enroll_phone(token, "+15555550101", "second")
    assert claims(phone["idToken"])["firebase"]["sign_in_second_factor"] == "phone"
    server.enroll_totp(token, "third")
    refused("SECOND_FACTOR_EXISTS", server.enroll_phone, token, "+15555550101")
    start = server.js("accounts/mfaEnrollment:start", {"idToken": token, "totpEnrollmentInfo": {}}, "v2")
    info = start["totpSessionInfo"]
    refused("INVALID_CODE", server.js, "accounts/mfaEnrollment:finalize", {
        "idToken": token, "totpVerificationInfo": {
            "sessionInfo": info["sessionInfo"], "verificationCode": server.wrong_code(info["sharedSecretKey"])}}, "v2")
    found, = server.js("accounts:lookup", {"idToken": token})["users"]
    assert [entry.get("displayName") for entry in found["mfaInfo"]] == [None, "second", "third"]
    # A code is spent by the enrollment.
    uid = claims(first["idToken"])["firebase"]["second_factor_identifier"]
    pending = server.sign_in(email)["mfaPendingCredential"]
    refused("INVALID_CODE", server.prove_totp, pending, uid, server.totp(secret))
    server.advance(31)
    assert server.prove_totp(pending, uid, server.totp(secret))["idToken"]
    server.js("accounts:delete", {"idToken": token})


def names(server):
    """An administrator names each factor; a number counts once, even under the same name."""
    _, user = server.user()

    def update(*factors):
        server.admin("/accounts:update", {"localId": user["localId"], "mfa": {"enrollments": factors}})
    refused("INVALID_MFA_ENROLLMENT_ID : mfaEnrollmentId must be defined.", update, {"phoneInfo": "+15555550102"})
    update(*[{"mfaEnrollmentId": name, "phoneInfo": "+15555550102"} for name in ("one", "one", "two")])
    found, = server.admin("/accounts:lookup", {"localId": [user["localId"]]})["users"]
    assert [factor["mfaEnrollmentId"] for factor in found["mfaInfo"]] == ["one"]


ALL = [lenient, several, names, finished_session]
