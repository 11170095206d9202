"""`--like-google-emulator`: no revocation, no required recent sign-in, no locks."""
from client import claims, factor, refused
from errors import finished_session

ARGUMENTS = ["--like-google-emulator"]


def lenient(server):
    email, user = server.user()
    server.advance(3000)
    secret, first = server.enroll_totp(user["idToken"])
    uid = factor(first)
    server.clock(stopped=True, advanceSeconds=31)
    pending, wrong = server.pending(email), server.wrong_code(secret)
    for _ in range(30):
        refused("INVALID_CODE", server.prove_totp, pending, uid, wrong)
    both = server.enroll_phone(server.prove_totp(pending, uid, server.totp(secret))["idToken"], "+15555550100")
    left = server.v2("Enrollment:withdraw", idToken=both["idToken"], mfaEnrollmentId=factor(both))
    assert left["idToken"] and left["refreshToken"]
    for token in (both["idToken"], left["idToken"]):
        info, = server.look(token)["mfaInfo"]
        assert info["mfaEnrollmentId"] == uid
    assert server.refresh(both["refreshToken"])


def several(server):
    """The token from before the first enrollment is enough for others, which are checked as usual."""
    email, user = server.user()
    token = user["idToken"]
    secret, first = server.enroll_totp(token)
    phone = server.enroll_phone(token, "+15555550101", "second")
    assert claims(phone["idToken"])["firebase"]["sign_in_second_factor"] == "phone"
    server.enroll_totp(token, "third")
    refused("SECOND_FACTOR_EXISTS", server.enroll_phone, token, "+15555550101")
    info = server.v2("Enrollment:start", idToken=token, totpEnrollmentInfo={})["totpSessionInfo"]
    refused("INVALID_CODE", server.v2, "Enrollment:finalize", idToken=token, totpVerificationInfo={
        "sessionInfo": info["sessionInfo"], "verificationCode": server.wrong_code(info["sharedSecretKey"])})
    assert [entry.get("displayName") for entry in server.look(token)["mfaInfo"]] == [None, "second", "third"]
    # A code is spent by the enrollment.
    pending = server.pending(email)
    refused("INVALID_CODE", server.prove_totp, pending, factor(first), server.totp(secret))
    server.advance(31)
    assert server.prove_totp(pending, factor(first), server.totp(secret))["idToken"]
    server.js("accounts:delete", {"idToken": token})


def names(server):
    """An administrator names each factor; a number counts once, even under the same name."""
    _, user = server.user()

    def update(*factors):
        server.update(user["localId"], mfa={"enrollments": factors})
    refused("INVALID_MFA_ENROLLMENT_ID : mfaEnrollmentId must be defined.", update, {"phoneInfo": "+15555550102"})
    update(*[{"mfaEnrollmentId": name, "phoneInfo": "+15555550102"} for name in ("one", "one", "two")])
    entry, = server.look(user["idToken"])["mfaInfo"]
    assert entry["mfaEnrollmentId"] == "one"


ALL = [lenient, several, names, finished_session]
