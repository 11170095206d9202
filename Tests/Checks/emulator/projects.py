"""Projects and tenants: their configuration, their clock, and questions about them, as Google's emulator answers."""
import time

from client import OWNER, PROJECT, TOOLKIT, claims, factor, parse_time, refused, status_of, totp

CONFIG = f"{TOOLKIT}/admin/v2/projects/{PROJECT}/config"


def not_implemented(*request):
    assert status_of(*request) == 501, request


def configuration(server):
    def patch(mask, body, headers=OWNER):
        return server.json("PATCH", f"{CONFIG}?updateMask={mask}", body, headers)

    def intervals(count, **more):
        return {"mfa": {"providerConfigs": [
            {"state": "ENABLED", "totpProviderConfig": {"adjacentIntervals": count}}], **more}}
    # The documentation's curl command, which leaves the state out.
    config = patch("mfa", intervals(0), {"Authorization": "Bearer ya29.x", "X-Goog-User-Project": PROJECT})
    assert config["mfa"]["state"] == "ENABLED" and config["mfa"]["enabledProviders"] == ["PHONE_SMS"]
    # No adjacent intervals: the code of the step before is too late.
    email, secret, uid, _ = server.member()
    server.clock(stopped=True, advanceSeconds=60)
    pending = server.pending(email)
    refused("INVALID_CODE", server.prove_totp, pending, uid, server.totp(secret, -1))
    refused("INVALID_CONFIG", patch, "mfa", intervals(11))
    patch("mfa.state,mfa.enabledProviders,mfa.providerConfigs",
          intervals(1, state="ENABLED", enabledProviders=["PHONE_SMS"]))
    assert server.prove_totp(pending, uid, server.totp(secret, -1))["idToken"]
    server.clock(stopped=False)
    patch("signIn.phoneNumber.testPhoneNumbers", {"signIn": {
        "phoneNumber": {"testPhoneNumbers": {"+15555550170": "123456"}}}})
    session = server.js("accounts:sendVerificationCode", {"phoneNumber": "+15555550170"})["sessionInfo"]
    assert server.js("accounts:signInWithPhoneNumber", {"sessionInfo": session, "code": "123456"})["isNewUser"]
    # Fields that the emulator does not use are kept, as Admin SDKs send them; unknown ones are refused.
    sent = {"smsRegionConfig": {"allowByDefault": {}}, "recaptchaConfig": {"useAccountDefender": False}}
    patch(",".join(sent), sent)
    config = server.admin("/config", method="GET", version="v2")
    assert config["name"] == f"projects/{PROJECT}/config" and sent.items() <= config.items()
    assert status_of(patch, "unknown", {}) == 400


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
    for _ in range(2):
        server.user()
    found = server.admin("/accounts:query", {"order": "DESC"})
    names = [user["localId"] for user in found["userInfo"]]
    assert len(names) >= 2 and names == sorted(names, reverse=True)
    assert server.admin("/accounts:query", {"returnUserInfo": False}) == {"recordsCount": found["recordsCount"]}
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
    not_implemented(server.js, "accounts:update", {"idToken": server.user()[1]["idToken"], "deletePasskey": ["x"]})


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
    # Each kind of second factor is a setting of the tenant, off by default.
    off = "OPERATION_NOT_ALLOWED : {} based MFA not enabled."
    refused(off.format("TOTP"), server.enroll_totp, user["idToken"])
    refused(off.format("SMS"), server.enroll_phone, user["idToken"], "+15555550173")
    server.admin(f"{path}?updateMask=mfaConfig", {"mfaConfig": {
        "state": "ENABLED", "enabledProviders": ["PHONE_SMS"], "providerConfigs": [
            {"state": "ENABLED", "totpProviderConfig": {}}]}}, "PATCH", "v2")
    _, answer = server.enroll_totp(user["idToken"])
    assert claims(answer["idToken"])["firebase"]["tenant"] == tenant

    def start(number):
        return server.v2("Enrollment:start", idToken=answer["idToken"], phoneEnrollmentInfo={
            "phoneNumber": number})["phoneSessionInfo"]["sessionInfo"]
    session = start("+15555550173")
    assert [code["sessionInfo"] for code in server.own(part + "verificationCodes")["verificationCodes"]] == [session]
    server.admin(f"{path}?updateMask=testPhoneNumbers", {"testPhoneNumbers": {"+15555550174": "654321"}}, "PATCH", "v2")
    answer = server.v2("Enrollment:finalize", idToken=answer["idToken"], phoneVerificationInfo={
        "sessionInfo": start("+15555550174"), "code": "654321"})
    assert server.sign_in(email, tenantId=tenant)["mfaPendingCredential"]
    server.own(part + "accounts", "DELETE")
    refused("USER_NOT_FOUND", server.look, answer["idToken"])
    path = f"/tenants/{server.tenant(disableAuth=True)}/accounts:"
    for name, body in (("lookup", {"localId": ["x"]}), ("query", {}), ("batchCreate", {"users": [{"localId": "x"}]})):
        refused("PROJECT_DISABLED", server.admin, path + name, body)
    refused("PROJECT_DISABLED", server.admin, path + "batchGet", method="GET")


def clock(server):
    """The emulator's clock, which is our extension: it is advanced, frozen, set, and reset to the machine's."""
    before = server.now()
    server.advance(1000)
    assert 1000 <= server.now() - before < 1100
    assert server.clock(now="2030-01-02T03:04:05Z", stopped=True) == {
        "now": "2030-01-02T03:04:05.000Z", "stopped": True}
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
    assert server.clock(reset=True)["stopped"] is False and abs(server.now() - time.time()) < 60
