"""What Google's emulator answers, in cases that its own tests and its users have."""
from client import OLD, OWNER, PASSWORD, PROJECT, TOOLKIT, claims, refused, status_of


def sign_up_with_factors(server):
    """With only an API key, a new user can have factors, and is signed in."""
    email = server.new_email()
    created = server.js("accounts:signUp", {"email": email, "password": PASSWORD, "mfaInfo": [
        {"phoneInfo": "+15555550190", "displayName": "mine"}]})
    assert "sign_in_second_factor" not in claims(created["idToken"])["firebase"] and created["refreshToken"]
    found, = server.js("accounts:lookup", {"idToken": created["idToken"]})["users"]
    assert [entry["phoneInfo"] for entry in found["mfaInfo"]] == ["+15555550190"]
    assert "idToken" not in server.sign_in(email)
    refused("UNEXPECTED_PARAMETER", server.js, "accounts:signUp", {"disabled": True})


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


ALL = [sign_up_with_factors, stopped_clock, upgraded, query, not_served, disabled_tenant, batch_create,
       imported_totp, auth_uri, private_addresses]
