"""`--like-google-emulator`: no revocation, no demand for a recent sign-in, no locks."""
from client import TOKEN, claims, refused

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


ALL = [lenient]
