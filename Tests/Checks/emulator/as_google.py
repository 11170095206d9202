"""What Google's emulator answers, in cases that its own tests and its users have."""
import json

from client import OLD, OWNER, PASSWORD, PROJECT, TOKEN, TOOLKIT, claims, refused, status_of


def sign_up_with_factors(server):
    """With only an API key, a new user can have factors, and is signed in."""
    email = server.new_email()
    created = server.js("accounts:signUp", {"email": email, "password": PASSWORD, "mfaInfo": [
        {"phoneInfo": "+15555550190", "displayName": "mine", "mfaEnrollmentId": "ignored"}]})
    assert "sign_in_second_factor" not in claims(created["idToken"])["firebase"] and created["refreshToken"]
    found, = server.js("accounts:lookup", {"idToken": created["idToken"]})["users"]
    assert [entry["phoneInfo"] for entry in found["mfaInfo"]] == ["+15555550190"]
    assert found["mfaInfo"][0]["mfaEnrollmentId"] != "ignored"
    assert "idToken" not in server.sign_in(email)
    refused("UNEXPECTED_PARAMETER", server.js, "accounts:signUp", {"disabled": True})
    refused("INVALID_MFA_PHONE_NUMBER", server.js, "accounts:signUp", {
        "email": server.new_email(), "password": PASSWORD, "mfaInfo": [{"totpInfo": {}}]})


def stopped_clock(server):
    """A change of the password ends the other sign-ins, and gives tokens, even in the same instant."""
    server.own("clock", "POST", {"stopped": True})
    _, user = server.user()
    changed = server.js("accounts:update", {"idToken": user["idToken"], "password": "another1"})
    assert changed["idToken"] and changed["refreshToken"]
    assert "idToken" not in server.js("accounts:update", {"idToken": user["idToken"], "displayName": "name"})
    server.own("clock", "POST", {"stopped": False})


def upgraded(server):
    """An anonymous user who gets an address and a password is no longer anonymous."""
    anonymous = server.js("accounts:signUp", {})
    changed = server.js("accounts:update", {
        "idToken": anonymous["idToken"], "email": server.new_email(), "password": PASSWORD})
    content = claims(changed["idToken"])
    assert content["firebase"]["sign_in_provider"] == "password" and "provider_id" not in content


def valid_since(server):
    """A user can end the own sign-ins, now, whatever time the request has; an import ends those from before."""
    _, user = server.user()
    server.advance(2)
    answer = server.js("accounts:update", {"idToken": user["idToken"], "validSince": "1000"})
    refused("TOKEN_EXPIRED", server.js, "accounts:lookup", {"idToken": user["idToken"]})
    found, = server.js("accounts:lookup", {"idToken": answer["idToken"]})["users"]
    assert abs(int(found["validSince"]) - server.now()) < 60
    server.advance(2)
    server.admin("/accounts:batchCreate", {"users": [found], "allowOverwrite": True})
    refused("TOKEN_EXPIRED", server.js, "accounts:lookup", {"idToken": answer["idToken"]})


def token_claims(server):
    """Custom claims can replace the name and the picture, and `user_id` is not reserved; the rest stays."""
    email, user = server.user()
    server.js("accounts:update", {"idToken": user["idToken"], "displayName": "own", "photoUrl": "http://own"})
    server.admin("/accounts:update", {
        "localId": user["localId"], "lastLoginAt": "1000000000000", "createdAt": "999000000000",
        "customAttributes": json.dumps({"name": "claim", "picture": "x", "user_id": "x", "email": "x"})})
    refreshed = server.json("POST", f"{TOKEN}?key=k", {
        "grantType": "refresh_token", "refreshToken": user["refreshToken"]})
    content = claims(refreshed["id_token"])
    assert content["name"] == "claim" and content["picture"] == "x" and content["email"] == email, content
    assert content["user_id"] == user["localId"] and content["auth_time"] == 1_000_000_000
    found, = server.js("accounts:lookup", {"idToken": refreshed["id_token"]})["users"]
    assert found["createdAt"] == "999000000000" and found["displayName"] == "own"
    _, enrolled = server.enroll_totp(server.sign_in(email)["idToken"])
    assert sorted(enrolled) == ["idToken", "refreshToken", "totpAuthInfo"]
    # A password is how its user signs in from then on.
    phone = "+15555550192"
    session = server.js("accounts:sendVerificationCode", {"phoneNumber": phone})["sessionInfo"]
    signed = server.js("accounts:signInWithPhoneNumber", {"sessionInfo": session, "code": server.sms(session)})
    changed = server.js("accounts:update", {
        "idToken": signed["idToken"], "email": server.new_email(), "password": PASSWORD})
    assert claims(changed["idToken"])["firebase"]["sign_in_provider"] == "password"


def custom_tokens(server):
    def sign_in(**content):
        return server.js("accounts:signInWithCustomToken", {"token": json.dumps(content)})
    assert sign_in(uid=7)["isNewUser"] and claims(sign_in(uid="7")["idToken"])["sub"] == "7"
    assert claims(sign_in(uid="7", claims={"long": "x" * 1000})["idToken"])["long"]
    refused("INVALID_CLAIMS", sign_in, uid="7", claims=[])
    refused("FORBIDDEN_CLAIM : iss", sign_in, uid="7", claims={"iss": "x"})
    refused("MISSING_IDENTIFIER", sign_in, claims={})
    signed = server.js("accounts:signInWithCustomToken", {"token": '{"uid":"inside"}', "tenantId": "any"})
    assert claims(signed["idToken"])["firebase"]["tenant"] == "any"

    def cookie(**body):
        return server.admin(":createSessionCookie", body)
    refused("MISSING_ID_TOKEN", cookie, validDuration="1")
    refused("INVALID_DURATION", cookie, idToken="x", validDuration="1")
    content = claims(cookie(idToken=sign_in(uid="7")["idToken"], validDuration="0")["sessionCookie"])
    assert content["exp"] - content["iat"] == 14 * 86400


def query(server):
    """A condition that is not evaluated is not ignored."""
    server.user()
    assert int(server.admin("/accounts:query", {"expression": []})["recordsCount"]) >= 1
    for body in ({"expression": [{"email": "a@example.com"}]}, {"limit": "1"}, {"offset": "1"},
                 {"sortBy": "CREATED_AT"}):
        assert refused_with(501, server.admin, "/accounts:query", body).status == 501
    server.user()
    up, down = ([user["localId"] for user in server.admin("/accounts:query", {"order": order})["userInfo"]]
                for order in ("ASC", "DESC"))
    assert len(up) >= 2 and up == down[::-1] == sorted(up)


def refused_with(status, function, /, *arguments):
    error = refused("NOT_IMPLEMENTED", lambda: translated(function, *arguments))
    assert error.status == status
    return error


def translated(function, /, *arguments):
    """Makes the request; an error that says that something is not implemented gets that name."""
    try:
        return function(*arguments)
    except Exception as error:
        assert "not implemented in this emulator" in error.message, error.message
        error.code = error.body["error"]["status"]
        raise


def not_served(server):
    for version, name in (
            ("v2", "accounts/passkeyEnrollment:start"), ("v2", "accounts/passkeyEnrollment:finalize"),
            ("v2", "accounts/passkeySignIn:start"), ("v2", "accounts/passkeySignIn:finalize"),
            ("v1", "accounts:signInWithGameCenter"), ("v1", "accounts:verifyIosClient"),
            ("v1", "accounts:issueSamlResponse")):
        refused_with(501, server.js, name, {}, version)
    for name in ("signInWithGameCenter", "verifyClient", "issueSamlResponse"):
        refused_with(501, server.ios, name, {})
    _, user = server.user()
    refused_with(501, server.js, "accounts:update", {"idToken": user["idToken"], "deletePasskey": ["x"]})


def disabled_tenant(server):
    tenant = server.admin("/tenants", {"disableAuth": True}, version="v2")["tenantId"]
    part = f"/tenants/{tenant}"
    for path, body, method in (
            ("/accounts:lookup", {"localId": ["x"]}, "POST"), ("/accounts:query", {}, "POST"),
            ("/accounts:batchGet", None, "GET"), ("/accounts:batchCreate", {"users": [{"localId": "x"}]}, "POST")):
        refused("PROJECT_DISABLED", server.admin, part + path, body, method)


def batch_create(server):
    def create(users, part="", **more):
        return server.admin(f"{part}/accounts:batchCreate", {"users": users, **more})

    def person(raw):
        return {"localId": f"of-{raw}-{server.new_email()}", "providerUserInfo": [
            {"providerId": "google.com", "rawId": raw, "email": f"{raw}@provider.example"}]}
    error = refused("DUPLICATE_RAW_ID", create, [person("dup"), person("dup")], sanityCheck=True)
    assert error.message == "DUPLICATE_RAW_ID : Provider id(google.com), Raw id(dup)"
    error = refused("DUPLICATE_EMAIL", create, [
        {"localId": "s1", "email": "S@example.com"}, {"localId": "s2", "email": "s@example.com"}], sanityCheck=True)
    assert error.message == "DUPLICATE_EMAIL : s@example.com"
    assert create([person("one")], sanityCheck=True)["error"] == []
    answer = create([person("one"), person("two")], sanityCheck=True)
    assert answer["error"] == [{"index": 0, "message": "raw id exists in other account in database"}]
    email, _ = server.user()
    answer = create([{"localId": "s3", "email": email}], sanityCheck=True)
    assert answer["error"] == [{"index": 0, "message": "email exists in other account in database"}]
    error = refused("DUPLICATE_LOCAL_ID", create, [{"localId": "same"}, {"localId": "same"}])
    assert error.message == "DUPLICATE_LOCAL_ID : same"
    assert create([{"localId": "same"}, {"localId": "same"}], allowOverwrite=True)["error"] == []
    phone = {"phoneInfo": "+15555550193", "mfaEnrollmentId": "one"}
    other = phone | {"phoneInfo": "+15555550194"}
    for more, message in (
            ({"email": None}, "Second factor account requires email to be presented."),
            ({"mfaInfo": [phone, other]}, "Enrollment id already exists."),
            ({"mfaInfo": [{}]}, "Second factor not supported."),
            ({"mfaInfo": [{"phoneInfo": "1"}]}, "Phone number format is invalid"),
            ({"customAttributes": "{"}, "Invalid custom claims provided."),
            ({"customAttributes": json.dumps("x" * 1000)}, "Custom claims provided are too large."),
            ({"customAttributes": '{"iss":1}'}, "Custom claims provided include a reserved claim.")):
        user = {"localId": "no", "email": server.new_email(), "emailVerified": True, "mfaInfo": [phone], **more}
        assert create([user])["error"] == [{"index": 0, "message": message}]
    tenant = server.admin("/tenants", {}, version="v2")["tenantId"]
    answer = create([{"localId": "a", "tenantId": "another"}, {"localId": "b", "tenantId": tenant}],
                    f"/tenants/{tenant}")
    assert answer["error"] == [
        {"index": 0, "message": "Tenant id in userInfo does not match the tenant id in request."}]
    for date in ("2123-04-05T06:07:28.990Z", "2001-04-05T06:07:28.990Z"):
        create([{"localId": date, "email": server.new_email(), "emailVerified": True, "mfaInfo": [
            {"phoneInfo": "+15555550191", "enrolledAt": date}]}])
        found, = server.admin("/accounts:lookup", {"localId": [date]})["users"]
        assert found["mfaInfo"][0]["enrolledAt"] == date, found
    # The old paths, whose requests have everything in the body.
    def old(name, body):
        return server.json("POST", f"{OLD}/{name}", body, OWNER)
    assert old("uploadAccount", {"targetProjectId": PROJECT, "users": [{"localId": "of-old"}]})["error"] == []
    names, page = [], {}
    while True:
        answer = old("downloadAccount", {"targetProjectId": PROJECT, "maxResults": 5, **page})
        names += [user["localId"] for user in answer["users"]]
        if "nextPageToken" not in answer:
            break
        page = {"nextPageToken": answer["nextPageToken"]}
    assert "of-old" in names and len(names) == len(set(names)) > 5
    assert status_of(server.json, "POST", f"{OLD}/downloadAccount?key=k", {}) == 401


def imported_totp(server):
    """`batchGet` has a TOTP factor's secret, and with it `batchCreate` restores the factor; without it, nothing."""
    email, user = server.user()
    secret, answer = server.enroll_totp(user["idToken"])
    uid = claims(answer["idToken"])["firebase"]["second_factor_identifier"]
    listed = server.admin("/accounts:batchGet?maxResults=1000", method="GET")["users"]
    exported = next(entry for entry in listed if entry.get("email") == email)
    assert exported["mfaInfo"][0]["emulatorTotpSecret"] == secret
    server.admin("/accounts:delete", {"localId": user["localId"]})
    assert server.admin("/accounts:batchCreate", {"users": [exported]})["error"] == []
    server.advance(31)
    pending = server.sign_in(email)["mfaPendingCredential"]
    assert server.prove_totp(pending, uid, server.totp(secret))["idToken"]
    server.admin("/accounts:delete", {"localId": user["localId"]})
    del exported["mfaInfo"][0]["emulatorTotpSecret"]
    refusal = server.admin("/accounts:batchCreate", {"users": [exported]})["error"]
    assert refusal == [{"index": 0, "message": "Second factor not supported."}]
    refused("EMAIL_NOT_FOUND", server.sign_in, email)


def auth_uri(server):
    def ask(identifier, address="http://localhost"):
        return server.js("accounts:createAuthUri", {"identifier": identifier, "continueUri": address})
    refused("INVALID_CONTINUE_URI", ask, "a@example.com", "invalid")
    server.admin("/accounts:batchCreate", {"users": [{"localId": "at-provider", "email": "own@example.com",
        "providerUserInfo": [{"providerId": "google.com", "rawId": "at", "email": "At@provider.example"}]}]})
    for identifier in ("own@example.com", "at@PROVIDER.example"):
        answer = ask(identifier)
        assert answer["registered"] is True and answer["signinMethods"] == ["google.com"], answer
    server.own("config", "PATCH", {"signIn": {"allowDuplicateEmails": True}})
    assert ask("own@example.com")["signinMethods"] == []
    server.own("config", "PATCH", {"signIn": {"allowDuplicateEmails": False}})


def private_addresses(server):
    """With improved privacy, an administrator gets no link for an address without a user, and no error."""
    body = {"requestType": "PASSWORD_RESET", "email": "no-one@example.com", "returnOobLink": True}
    refused("EMAIL_NOT_FOUND", server.admin, "/accounts:sendOobCode", body)
    server.own("config", "PATCH", {"emailPrivacyConfig": {"enableImprovedEmailPrivacy": True}})
    answer = server.json("POST", f"{TOOLKIT}/v1/accounts:sendOobCode", body, OWNER)
    assert answer["email"] == "no-one@example.com" and "oobLink" not in answer
    server.own("config", "PATCH", {"emailPrivacyConfig": {"enableImprovedEmailPrivacy": False}})


ALL = [sign_up_with_factors, stopped_clock, upgraded, valid_since, token_claims, custom_tokens, query, not_served,
       disabled_tenant, batch_create, imported_totp, auth_uri, private_addresses]
