"""Users: how they sign up and in, change themselves, and what administrators do to them, as Google's emulator does."""
import json

from client import OLD, OWNER, PASSWORD, PROJECT, claims, factor, refused


def sign_up_with_factors(server):
    """With only an API key, a new user can have factors, and is signed in."""
    email = server.new_email()
    created = server.js("accounts:signUp", {"email": email, "password": PASSWORD, "mfaInfo": [
        {"phoneInfo": "+15555550190", "displayName": "mine", "mfaEnrollmentId": "ignored"}]})
    assert "sign_in_second_factor" not in claims(created["idToken"])["firebase"] and created["refreshToken"]
    entry, = server.look(created["idToken"])["mfaInfo"]
    assert entry["phoneInfo"] == "+15555550190" and entry["mfaEnrollmentId"] != "ignored"
    assert "idToken" not in server.sign_in(email)
    refused("UNEXPECTED_PARAMETER", server.js, "accounts:signUp", {"disabled": True})


def anonymous(server):
    """An anonymous user who gets an address and a password, by either of two ways, is no longer anonymous."""
    first = server.js("accounts:signUp", {"returnSecureToken": True})
    assert claims(first["idToken"])["provider_id"] == "anonymous"
    email = server.new_email()
    for method, user, address in (("accounts:signUp", first, email),
                                  ("accounts:update", server.js("accounts:signUp", {}), server.new_email())):
        linked = server.js(method, {"idToken": user["idToken"], "email": address, "password": PASSWORD})
        content = claims(linked["idToken"])
        assert content["sub"] == user["localId"] and content["firebase"]["sign_in_provider"] == "password"
    refused("WEAK_PASSWORD", server.js, "accounts:signUp", {"email": server.new_email(), "password": "short"})
    refused("EMAIL_EXISTS", server.js, "accounts:signUp", {"email": email.upper(), "password": PASSWORD})
    token = server.sign_in(email)["idToken"]
    server.js("accounts:sendOobCode", {
        "requestType": "VERIFY_AND_CHANGE_EMAIL", "idToken": token, "newEmail": "new-" + email})
    server.js("accounts:update", {"oobCode": server.oob(email, "VERIFY_AND_CHANGE_EMAIL")["oobCode"]})
    assert server.sign_in("new-" + email)["registered"]


def passwords(server):
    """A forgotten password: the code is checked, used, and then used up."""
    email, _ = server.user(verified=False)

    def sent():
        server.js("accounts:sendOobCode", {"requestType": "PASSWORD_RESET", "email": email})
        return server.oob(email, "PASSWORD_RESET")["oobCode"]
    code = sent()
    assert server.js("accounts:resetPassword", {"oobCode": code})["email"] == email
    refused("WEAK_PASSWORD", server.ios, "resetPassword", {"oobCode": code, "newPassword": "short"})
    server.ios("resetPassword", {"oobCode": code, "newPassword": PASSWORD})
    refused("INVALID_OOB_CODE", server.js, "accounts:resetPassword", {"oobCode": code, "newPassword": "another2"})
    late = sent()
    server.advance(3601)
    refused("EXPIRED_OOB_CODE", server.js, "accounts:resetPassword", {"oobCode": late})
    # A change of the address can be reverted, by a link sent to the old one.
    server.js("accounts:update", {"idToken": server.sign_in(email)["idToken"], "email": "moved-" + email})
    assert server.follow(server.oob(email, "RECOVER_EMAIL")["oobLink"])[0] == 200
    assert server.sign_in(email)["email"] == email


def custom_tokens(server):
    def sign_in(**content):
        return server.js("accounts:signInWithCustomToken", {"token": json.dumps(content)})
    assert sign_in(uid=7)["isNewUser"] and claims(sign_in(uid="7")["idToken"])["sub"] == "7"
    refused("INVALID_CLAIMS", sign_in, uid="7", claims=[])
    refused("FORBIDDEN_CLAIM : iss", sign_in, uid="7", claims={"iss": "x"})
    refused("MISSING_IDENTIFIER", sign_in, claims={})


def proofs(server):
    """A number that belongs to another user: the response has a proof, with which the client signs in as that user."""
    first = server.verify_phone("+15555550171")
    assert first["isNewUser"] and claims(first["idToken"])["firebase"]["sign_in_provider"] == "phone"
    _, user = server.user()
    answer = server.verify_phone("+15555550171", idToken=user["idToken"])
    assert "idToken" not in answer
    body = {"phoneNumber": answer["phoneNumber"], "temporaryProof": answer["temporaryProof"]}
    assert server.js("accounts:signInWithPhoneNumber", body)["localId"] == first["localId"]
    refused("INVALID_TEMPORARY_PROOF", server.js, "accounts:signInWithPhoneNumber", body)
    linked = server.verify_phone("+15555550172", idToken=user["idToken"])
    assert linked["localId"] == user["localId"] and not linked["isNewUser"]
    server.js("accounts:update", {"idToken": linked["idToken"], "deleteProvider": ["phone"]})
    refused("USER_NOT_FOUND", server.verify_phone, "+15555550172", operation="REAUTH")


def administrators_factors(server):
    email, user = server.user()

    def factors(*enrollments):
        server.update(user["localId"], mfa={"enrollments": enrollments})
        return server.admin("/accounts:lookup", {"localId": [user["localId"]]})["users"][0]["mfaInfo"]
    # A number counts once, and a factor without a name gets one.
    first, = factors(*({"phoneInfo": "+15555550180", "displayName": name} for name in ("one", "again")))
    assert first["displayName"] == "one" and first["mfaEnrollmentId"]
    factors(first | {"totpInfo": None}, {"mfaEnrollmentId": "two", "phoneInfo": "+15555550181"})
    assert [hint["mfaEnrollmentId"] for hint in server.sign_in(email)["mfaInfo"]] == [first["mfaEnrollmentId"], "two"]
    assert refused("INVALID_MFA_PHONE_NUMBER", factors, {"phoneInfo": "1"}).status == 400
    refused("DUPLICATE_MFA_ENROLLMENT_ID", factors, *(
        {"phoneInfo": number, "mfaEnrollmentId": "a"} for number in ("+15555550182", "+15555550183")))
    refused("INVALID_MFA_ENROLLMENT_ID", factors, {"phoneInfo": "+15555550182", "mfaEnrollmentId": "a b"})
    server.update(user["localId"], mfa={})
    assert server.sign_in(email)["idToken"]


def batch_create(server):
    def create(*users, part="", **more):
        return server.admin(f"{part}/accounts:batchCreate", {"users": users, **more})["error"]

    def one_error(message, *users, **more):
        found = create(*users, **more)
        assert found == [{"index": 0, "message": message}], found

    same = {"localId": "same"}
    refused("DUPLICATE_LOCAL_ID : same", create, same, same)
    assert create(same, same, allowOverwrite=True) == []
    email, _ = server.user()
    one_error("email exists in other account in database", {"localId": "s3", "email": email}, sanityCheck=True)
    phone = {"phoneInfo": "+15555550193", "mfaEnrollmentId": "one"}
    for more, message in (
            ({"email": None}, "Second factor account requires email to be presented."),
            ({"emailVerified": None}, "Second factor account requires email to be verified."),
            ({"mfaInfo": [phone, phone | {"phoneInfo": "+15555550194"}]}, "Enrollment id already exists."),
            ({"mfaInfo": [{}]}, "Second factor not supported."),
            ({"mfaInfo": [{"phoneInfo": "1"}]}, "Phone number format is invalid"),
            ({"customAttributes": '{"iss":1}'}, "Custom claims provided include a reserved claim.")):
        one_error(message, {
            "localId": "no", "email": server.new_email(), "emailVerified": True, "mfaInfo": [phone], **more})
    one_error("Tenant id in userInfo does not match the tenant id in request.",
              {"localId": "a", "tenantId": "another"}, part=f"/tenants/{server.tenant()}")
    # The old path, with everything in the body.
    asked = {"targetProjectId": PROJECT, "maxResults": 5}
    assert len(server.json("POST", f"{OLD}/downloadAccount", asked, OWNER)["users"]) == 5


def imported_totp(server):
    """With a TOTP factor's secret, `batchCreate` restores the factor of a deleted user."""
    email, secret, uid, user = server.member()
    exported = server.admin("/accounts:lookup", {"localId": [user["localId"]]})["users"]
    server.admin("/accounts:delete", {"localId": user["localId"]})
    assert server.admin("/accounts:batchCreate", {"users": exported})["error"] == []
    server.advance(31)
    assert factor(server.prove_totp(server.pending(email), uid, server.totp(secret))) == uid
