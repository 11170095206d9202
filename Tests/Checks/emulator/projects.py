"""Projects and tenants: their configuration, their clock, and questions about them, as Google's emulator answers."""
import time

from client import OWNER, PROJECT, TOOLKIT, Refused, claims, factor, parse_time, refused, status_of, totp

CONFIG = f"{TOOLKIT}/admin/v2/projects/{PROJECT}/config"


def not_implemented(function, /, *arguments):
    try:
        function(*arguments)
    except Refused as error:
        assert error.status == 501 and error.body["error"]["status"] == "NOT_IMPLEMENTED", error.message
        assert "not implemented in this emulator" in error.message, error.message
        return
    raise AssertionError("accepted")


def configuration(server):
    def patch(mask, body, headers=OWNER):
        return server.json("PATCH", f"{CONFIG}?updateMask={mask}", body, headers)

    def intervals(count, **more):
        return {"mfa": {"providerConfigs": [
            {"state": "ENABLED", "totpProviderConfig": {"adjacentIntervals": count}}], **more}}
    config = server.admin("/config", method="GET", version="v2")
    assert config["name"] == f"projects/{PROJECT}/config" and config["mfa"]["state"] == "ENABLED"
    # The documentation's curl command, which leaves the state out.
    config = patch("mfa", intervals(0), {"Authorization": "Bearer ya29.x", "X-Goog-User-Project": PROJECT})
    assert config["mfa"]["state"] == "ENABLED" and config["mfa"]["enabledProviders"] == ["PHONE_SMS"]
    # No adjacent intervals: the code of the step before is too late.
    email, secret, uid, _ = server.member()
    server.clock(stopped=True, advanceSeconds=60)
    pending = server.pending(email)
    refused("INVALID_CODE", server.prove_totp, pending, uid, server.totp(secret, -1))
    refused("INVALID_CONFIG", patch, "mfa", intervals(11))
    # Last, so that the fuzzer leaves this one.
    patch("mfa.state,mfa.enabledProviders,mfa.providerConfigs",
          intervals(1, state="ENABLED", enabledProviders=["PHONE_SMS"]))
    assert server.prove_totp(pending, uid, server.totp(secret, -1))["idToken"]
    server.clock(stopped=False)
    for number, code in (("+15555550170", "123456"), ("+15555550175", "111111")):
        numbers = {"phoneNumber": {"testPhoneNumbers": {number: code}}}
        config = patch("signIn.phoneNumber.testPhoneNumbers", {"signIn": numbers})
        assert config["signIn"] == {"allowDuplicateEmails": False} | numbers
        session = server.js("accounts:sendVerificationCode", {"phoneNumber": number})["sessionInfo"]
        assert server.js("accounts:signInWithPhoneNumber", {"sessionInfo": session, "code": code})["isNewUser"]
    # Fields that the emulator does not use are kept, as Admin SDKs send them; unknown ones are refused.
    sent = {"smsRegionConfig": {"allowByDefault": {}}, "recaptchaConfig": {"useAccountDefender": False}}
    patch(",".join(sent), sent)
    config = server.admin("/config", method="GET", version="v2")
    assert sent.items() <= config.items() and config["mfa"]["state"] == "ENABLED"
    assert status_of(patch, "unknown", {}) == 400


def privacy(server):
    """With improved privacy, no client learns whether an address has a user; an administrator gets no link for it."""
    body = {"requestType": "PASSWORD_RESET", "email": "no-one@example.com", "returnOobLink": True}
    refused("EMAIL_NOT_FOUND", server.admin, "/accounts:sendOobCode", body)
    refused("EMAIL_NOT_FOUND", server.sign_in, "nobody@example.com")
    server.configure(emailPrivacyConfig={"enableImprovedEmailPrivacy": True})
    refused("INVALID_LOGIN_CREDENTIALS", server.sign_in, "nobody@example.com")
    answer = server.json("POST", f"{TOOLKIT}/v1/accounts:sendOobCode", body, OWNER)
    assert answer["email"] == "no-one@example.com" and "oobLink" not in answer
    server.configure(emailPrivacyConfig={"enableImprovedEmailPrivacy": False})


def auth_uri(server):
    def ask(identifier, address="http://localhost"):
        return server.js("accounts:createAuthUri", {"identifier": identifier, "continueUri": address})
    refused("INVALID_CONTINUE_URI", ask, "a@example.com", "invalid")
    server.admin("/accounts:batchCreate", {"users": [{"localId": "at-provider", "email": "own@example.com",
        "providerUserInfo": [{"providerId": "google.com", "rawId": "at", "email": "At@provider.example"}]}]})
    for identifier in ("own@example.com", "at@PROVIDER.example"):
        answer = ask(identifier)
        assert answer["registered"] is True and answer["signinMethods"] == ["google.com"], answer
    server.configure(signIn={"allowDuplicateEmails": True})
    assert ask("own@example.com")["signinMethods"] == []
    server.configure(signIn={"allowDuplicateEmails": False})


def questions(server):
    """Clients' queries about a project, and administrators' about its users; a condition that is not evaluated is not
    ignored."""
    assert server.json("GET", f"{TOOLKIT}/v1/projects?key=k")["authorizedDomains"]
    assert server.json("GET", f"{TOOLKIT}/v1/recaptchaParams?key=k")["recaptchaSiteKey"]
    email, _ = server.user()
    server.user()
    found = server.admin("/accounts:query", {"expression": []})
    assert email in [user.get("email") for user in found["userInfo"]]
    assert server.admin("/accounts:query", {"returnUserInfo": False}) == {"recordsCount": found["recordsCount"]}
    everybody = server.admin("/accounts:batchGet?maxResults=-1", method="GET")
    assert str(len(everybody["users"])) == found["recordsCount"]
    up, down = ([user["localId"] for user in server.admin("/accounts:query", {"order": order})["userInfo"]]
                for order in ("ASC", "DESC"))
    assert len(up) >= 2 and up == down[::-1] == sorted(up)
    for body in ({"expression": [{"email": "a@example.com"}]}, {"limit": "1"}, {"offset": "1"},
                 {"sortBy": "CREATED_AT"}):
        not_implemented(server.admin, "/accounts:query", body)


def not_served(server):
    for version, name in (
            ("v2", "accounts/passkeyEnrollment:start"), ("v2", "accounts/passkeyEnrollment:finalize"),
            ("v2", "accounts/passkeySignIn:start"), ("v2", "accounts/passkeySignIn:finalize"),
            ("v2", "accounts:revokeToken"), ("v1", "accounts:signInWithGameCenter"), ("v1", "accounts:verifyIosClient"),
            ("v1", "accounts:issueSamlResponse")):
        not_implemented(server.js, name, {}, version)
    for name in ("signInWithGameCenter", "verifyClient", "issueSamlResponse"):
        not_implemented(server.ios, name, {})
    for path in ("v2/passwordPolicy", "v2/recaptchaConfig", "v1/publicKeys"):
        not_implemented(server.json, "GET", f"{TOOLKIT}/{path}?key=k")
    _, user = server.user()
    not_implemented(server.js, "accounts:update", {"idToken": user["idToken"], "deletePasskey": ["x"]})


def tenants(server):
    """A tenant has its own users, codes and settings; a disabled one refuses every request, also of administrators."""
    tenant = server.tenant(allowPasswordSignup=True, enableEmailLinkSignin=True)
    part, path = f"tenants/{tenant}/", f"/tenants/{tenant}"
    email, user = server.user(tenant=tenant)
    server.js("accounts:sendOobCode", {"requestType": "VERIFY_EMAIL", "idToken": user["idToken"]})
    code, = server.own(part + "oobCodes")["oobCodes"]
    assert code["email"] == email and server.follow(code["oobLink"])[0] == 200
    server.own(part + "config", "PATCH", {"emailPrivacyConfig": {"enableImprovedEmailPrivacy": True}})
    assert server.own(part + "config")["emailPrivacyConfig"] == {"enableImprovedEmailPrivacy": True}
    refused("INVALID_LOGIN_CREDENTIALS", server.sign_in, "nobody@example.com", tenantId=tenant)
    # Second factors are a setting of the tenant, off by default.
    refused("OPERATION_NOT_ALLOWED", server.enroll_totp, user["idToken"])
    server.admin(f"{path}?updateMask=mfaConfig", {"mfaConfig": {
        "state": "ENABLED", "enabledProviders": ["PHONE_SMS"], "providerConfigs": [
            {"state": "ENABLED", "totpProviderConfig": {}}]}}, "PATCH", "v2")
    _, answer = server.enroll_totp(user["idToken"])
    assert claims(answer["idToken"])["firebase"]["tenant"] == tenant

    def start(number):
        return server.v2("Enrollment:start", idToken=answer["idToken"], phoneEnrollmentInfo={
            "phoneNumber": number})["phoneSessionInfo"]["sessionInfo"]
    session = start("+15555550173")
    message, = server.own(part + "verificationCodes")["verificationCodes"]
    assert message["sessionInfo"] == session
    server.admin(f"{path}?updateMask=testPhoneNumbers", {"testPhoneNumbers": {"+15555550174": "654321"}}, "PATCH", "v2")
    answer = server.v2("Enrollment:finalize", idToken=answer["idToken"], phoneVerificationInfo={
        "sessionInfo": start("+15555550174"), "code": "654321"})
    assert server.sign_in(email, tenantId=tenant)["mfaPendingCredential"]
    server.own(part + "accounts", "DELETE")
    refused("USER_NOT_FOUND", server.look, answer["idToken"])
    path = f"/tenants/{server.tenant(disableAuth=True)}/accounts:"
    for name, body, method in (
            ("lookup", {"localId": ["x"]}, "POST"), ("query", {}, "POST"), ("batchGet", None, "GET"),
            ("batchCreate", {"users": [{"localId": "x"}]}, "POST")):
        refused("PROJECT_DISABLED", server.admin, path + name, body, method)


def tenants_second_factors(server):
    """Each kind of factor is off unless the tenant has it; TOTP has a state of its own."""
    def start(user, **info):
        return server.v2("Enrollment:start", idToken=user["idToken"], **info)
    phone, app = {"phoneEnrollmentInfo": {"phoneNumber": "+15555550176"}}, {"totpEnrollmentInfo": {}}
    apps = {"providerConfigs": [{"state": "ENABLED", "totpProviderConfig": {"adjacentIntervals": 1}}]}
    settings = {"allowPasswordSignup": True, "mfaConfig": {"state": "ENABLED", "enabledProviders": ["PHONE_SMS"]}}
    tenant = server.tenant(**settings)
    path = f"/tenants/{tenant}"
    email, user = server.user(tenant=tenant)
    for change in (None, "", "?updateMask=mfaConfig"):
        if change is not None:
            server.admin(path + change, settings, "PATCH", "v2")
        refused("OPERATION_NOT_ALLOWED : TOTP based MFA not enabled.", start, user, **app)
        assert start(user, **phone)["phoneSessionInfo"]

    def factors(**mfa):
        server.admin(f"{path}/accounts:update", {"localId": user["localId"], "mfa": mfa})
    factors(enrollments=[{"phoneInfo": "+15555550176"}])
    changed = server.admin(f"{path}?updateMask=mfaConfig", {"mfaConfig": apps}, "PATCH", "v2")
    assert changed["mfaConfig"] == {"state": "DISABLED", "enabledProviders": [], **apps}
    refused("OPERATION_NOT_ALLOWED : SMS based MFA not enabled.", start, user, **phone)
    signed = server.sign_in(email, tenantId=tenant)
    assert "sign_in_second_factor" not in claims(signed["idToken"])["firebase"]
    # Enabled without a provider: the sign-in waits for a factor, which it names, but no provider takes a code.
    server.admin(f"{path}?updateMask=mfaConfig", {"mfaConfig": {"state": "ENABLED"}}, "PATCH", "v2")
    hint, = server.sign_in(email, tenantId=tenant)["mfaInfo"]
    assert hint["phoneInfo"] == "+*******0176"
    server.admin(f"{path}?updateMask=mfaConfig", {"mfaConfig": apps}, "PATCH", "v2")
    factors()
    _, answer = server.enroll_totp(server.sign_in(email, tenantId=tenant)["idToken"])
    assert factor(answer) and server.sign_in(email, tenantId=tenant)["mfaPendingCredential"]


def clock(server):
    """The emulator's clock, which is our extension: it is advanced, frozen, set, and reset to the machine's."""
    before = server.now()
    server.advance(1000)
    assert 1000 <= server.now() - before < 1100
    assert server.clock(now="2030-01-02T03:04:05Z", stopped=True) == {
        "now": "2030-01-02T03:04:05.000Z", "stopped": True}
    assert server.now() == server.now()
    assert claims(server.js("accounts:signUp", {})["idToken"])["iat"] == int(server.now())
    assert server.clock(now="1000000000.5")["now"] == "2001-09-09T01:46:40.500Z"
    # At other times, second factors would not work.
    for body in ({"now": "yesterday"}, {"now": "-1"}, {"now": "2169-01-01T00:00:01Z"}, {"advanceSeconds": 1 << 62},
                 {"advanceSeconds": -(1 << 62)}, {"now": "nan"}, {"now": "inf"}):
        assert status_of(server.clock, **body) == 400, body
    # As Google's own tests stop it, and at the end: codes, and all that is shown, are of that time.
    for now in (0, 6_279_897_600):
        server.clock(now=str(now), stopped=True)
        email, secret, uid, user = server.member()
        assert claims(user["idToken"])["iat"] == now
        entry, = server.look(user["idToken"])["mfaInfo"]
        assert parse_time(entry["enrolledAt"]) == now
        assert factor(server.prove_totp(server.pending(email), uid, totp(secret, now // 30 + 1))) == uid
        refused("INVALID_CODE", server.prove_totp, server.pending(email), uid, totp(secret, now // 30))
        assert server.enroll_phone(user["idToken"], f"+1555555{now % 10_000:04}")["phoneAuthInfo"]
    assert server.clock(reset=True)["stopped"] is False and abs(server.now() - time.time()) < 60


ALL = [configuration, privacy, auth_uri, questions, not_served, tenants, tenants_second_factors, clock]
