"""Users: how they sign up and in, change themselves, and what administrators do to them, as Google's emulator does."""
import json

from client import OLD, OWNER, PASSWORD, PROJECT, claims, factor, refused, status_of


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
    server.js("accounts:sendOobCode", {"requestType": "PASSWORD_RESET", "email": email})
    code = server.oob(email, "PASSWORD_RESET")["oobCode"]
    assert server.js("accounts:resetPassword", {"oobCode": code})["email"] == email
    refused("WEAK_PASSWORD", server.ios, "resetPassword", {"oobCode": code, "newPassword": "short"})
    server.advance(2)
    server.ios("resetPassword", {"oobCode": code, "newPassword": "another1"})
    refused("INVALID_OOB_CODE", server.js, "accounts:resetPassword", {"oobCode": code, "newPassword": "another2"})
    refused("INVALID_PASSWORD", server.sign_in, email)
    server.js("accounts:sendOobCode", {"requestType": "PASSWORD_RESET", "email": email})
    server.advance(3601)
    refused("EXPIRED_OOB_CODE", server.js, "accounts:resetPassword", {
        "oobCode": server.oob(email, "PASSWORD_RESET")["oobCode"]})
    # A change of the address can be reverted, by a link sent to the old one.
    changed = server.js("accounts:update", {
        "idToken": server.sign_in(email, password="another1")["idToken"], "email": "moved-" + email})
    assert changed["email"] == "moved-" + email
    assert server.follow(server.oob(email, "RECOVER_EMAIL")["oobLink"])[0] == 200
    assert server.sign_in(email, password="another1")["email"] == email


def ended_sign_ins(server):
    """A change of the password ends the other sign-ins, even in the same instant; so can a user."""
    server.clock(stopped=True)
    _, user = server.user()
    changed = server.js("accounts:update", {"idToken": user["idToken"], "password": "another1"})
    assert changed["idToken"] and changed["refreshToken"]
    server.clock(stopped=False, advanceSeconds=2)
    # Now, whatever time the request has.
    answer = server.js("accounts:update", {"idToken": changed["idToken"], "validSince": "1000"})
    refused("TOKEN_EXPIRED", server.look, changed["idToken"])
    assert abs(int(server.look(answer["idToken"])["validSince"]) - server.now()) < 60


def token_claims(server):
    """Custom claims can replace the name and the picture, and `user_id` is not reserved; the rest stays."""
    email, user = server.user()
    server.js("accounts:update", {"idToken": user["idToken"], "displayName": "own", "photoUrl": "http://own"})
    server.update(user["localId"], lastLoginAt="1000000000000", createdAt="999000000000", customAttributes=json.dumps(
        {"name": "claim", "picture": "x", "user_id": "x", "email": "x"}))
    refreshed = server.refresh(user["refreshToken"])["id_token"]
    content = claims(refreshed)
    assert content["name"] == "claim" and content["picture"] == "x" and content["email"] == email, content
    assert content["user_id"] == user["localId"] and content["auth_time"] == 1_000_000_000


def custom_tokens(server):
    def sign_in(**content):
        return server.js("accounts:signInWithCustomToken", {"token": json.dumps(content)})
    assert sign_in(uid=7)["isNewUser"] and claims(sign_in(uid="7")["idToken"])["sub"] == "7"
    refused("INVALID_CLAIMS", sign_in, uid="7", claims=[])
    refused("FORBIDDEN_CLAIM : iss", sign_in, uid="7", claims={"iss": "x"})
    refused("MISSING_IDENTIFIER", sign_in, claims={})

    def cookie(**body):
        return server.admin(":createSessionCookie", body)
    refused("MISSING_ID_TOKEN", cookie, validDuration="1")
    refused("INVALID_DURATION", cookie, idToken="x", validDuration="1")


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

    def one_error(message, *users, index=0, **more):
        found = create(*users, **more)
        assert found == [{"index": index, "message": message}], found

    def person(raw):
        return {"localId": f"of-{raw}-{server.new_email()}", "providerUserInfo": [
            {"providerId": "google.com", "rawId": raw, "email": f"{raw}@provider.example"}]}
    for message, users, more in (
            ("DUPLICATE_RAW_ID : Provider id(google.com), Raw id(dup)", [person("dup"), person("dup")],
             {"sanityCheck": True}),
            ("DUPLICATE_EMAIL : s@example.com", [
                {"localId": "s1", "email": "S@example.com"}, {"localId": "s2", "email": "s@example.com"}],
             {"sanityCheck": True}),
            ("DUPLICATE_LOCAL_ID : same", [{"localId": "same"}, {"localId": "same"}], {})):
        refused(message, create, *users, **more)
    assert create({"localId": "same"}, {"localId": "same"}, allowOverwrite=True) == []
    assert create(person("one"), sanityCheck=True) == []
    one_error("raw id exists in other account in database", person("one"), person("two"), sanityCheck=True)
    email, _ = server.user()
    one_error("email exists in other account in database", {"localId": "s3", "email": email}, sanityCheck=True)
    phone = {"phoneInfo": "+15555550193", "mfaEnrollmentId": "one"}
    for more, message in (
            ({"email": None}, "Second factor account requires email to be presented."),
            ({"emailVerified": None}, "Second factor account requires email to be verified."),
            ({"mfaInfo": [phone, phone | {"phoneInfo": "+15555550194"}]}, "Enrollment id already exists."),
            ({"mfaInfo": [{}]}, "Second factor not supported."),
            ({"mfaInfo": [{"phoneInfo": "1"}]}, "Phone number format is invalid"),
            ({"customAttributes": "{"}, "Invalid custom claims provided."),
            ({"customAttributes": json.dumps("x" * 1000)}, "Custom claims provided are too large."),
            ({"customAttributes": '{"iss":1}'}, "Custom claims provided include a reserved claim.")):
        one_error(message, {
            "localId": "no", "email": server.new_email(), "emailVerified": True, "mfaInfo": [phone], **more})
    tenant = server.tenant()
    one_error("Tenant id in userInfo does not match the tenant id in request.",
              {"localId": "a", "tenantId": "another"}, {"localId": "b", "tenantId": tenant}, part=f"/tenants/{tenant}")

    # The old paths, whose requests have everything in the body.
    def old(name, **body):
        return server.json("POST", f"{OLD}/{name}", {"targetProjectId": PROJECT, **body}, OWNER)
    assert old("uploadAccount", users=[{"localId": "of-old"}])["error"] == []
    assert len(old("downloadAccount", maxResults=5)["users"]) == 5
    assert status_of(server.json, "POST", f"{OLD}/downloadAccount?key=k", {}) == 401


def imported_totp(server):
    """With a TOTP factor's secret, `batchCreate` restores the factor of a deleted user."""
    email, secret, uid, user = server.member()
    listed = server.admin("/accounts:batchGet?maxResults=1000", method="GET")["users"]
    exported = next(entry for entry in listed if entry.get("email") == email)
    server.admin("/accounts:delete", {"localId": user["localId"]})
    assert server.admin("/accounts:batchCreate", {"users": [exported]})["error"] == []
    server.advance(31)
    assert factor(server.prove_totp(server.pending(email), uid, server.totp(secret))) == uid
