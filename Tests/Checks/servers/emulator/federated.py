"""Sign-in by identity providers, with tokens that claim what a provider would: `signInWithIdp`, `verifyAssertion`."""
import json
from urllib.parse import urlencode

from client import claims, factor, refused


def by(server, sub, provider="google.com", old=False, post=None, **more):
    """As the SDKs send it: a form in a string."""
    names = ("email", "email_verified", "name", "picture")
    said = {"sub": sub} | {name: more.pop(name) for name in names if name in more}
    body = {"postBody": post or urlencode({"id_token": json.dumps(said), "providerId": provider}),
            "requestUri": "http://localhost", "returnIdpCredential": False, "returnSecureToken": True, **more}
    if old:
        return server.ios("verifyAssertion", body | {"autoCreate": True})
    return server.js("accounts:signInWithIdp", body)


def new_and_again(server):
    first = by(server, "one", email="One@example.com", email_verified=True, name="O", picture="https://a.example/o")
    assert first["isNewUser"] and first["federatedId"] == "https://accounts.google.com/one"
    payload = claims(first["idToken"])
    assert payload["firebase"]["sign_in_provider"] == "google.com" and payload["name"] == "O"
    assert payload["firebase"]["identities"] == {"email": ["one@example.com"], "google.com": ["one"]}
    again = by(server, "one", old=True, email="one@example.com", email_verified=True)
    assert again["localId"] == first["localId"] and "isNewUser" not in again
    # With a second factor.
    secret, answer = server.enroll_totp(again["idToken"])
    server.advance(31)
    pending = by(server, "one", email="one@example.com", email_verified=True)
    assert "idToken" not in pending and pending["mfaInfo"][0]["mfaEnrollmentId"] == factor(answer)
    signed = server.prove_totp(pending["mfaPendingCredential"], factor(answer), server.totp(secret))
    assert claims(signed["idToken"])["firebase"]["sign_in_provider"] == "google.com"


def one_account_for_an_address(server):
    email, user = server.user(verified=False)
    # Not verified by the provider: the client must sign in with an existing method.
    answer = by(server, "three", "oidc.a", email=email)
    assert answer["needConfirmation"] and answer["localId"] == user["localId"] and "idToken" not in answer
    linked = by(server, "three", "oidc.a", email=email, idToken=user["idToken"])
    assert linked["localId"] == user["localId"]
    refused("FEDERATED_USER_ID_ALREADY_LINKED", by, server, "three", "oidc.a", idToken=linked["idToken"])
    # Verified by another provider: the account belongs to the address's owner, and earlier sign-in methods are removed.
    server.advance(2)
    taken = by(server, "four", "google.com", email=email, email_verified=True)
    assert taken["localId"] == user["localId"]
    refused("INVALID_PASSWORD", server.sign_in, email)
    assert [entry["providerId"] for entry in server.look(taken["idToken"])["providerUserInfo"]] == ["google.com"]


def refusals(server):
    refused("INVALID_CREDENTIAL_OR_PROVIDER_ID", server.js, "accounts:signInWithIdp", {"postBody": "id_token={}"})
    refused("INVALID_IDP_RESPONSE", by, server, "x", post="providerId=google.com&id_token=x")
    refused("INVALID_EMAIL", by, server, "x", email="x")
    refused(501, by, server, "x", post="providerId=saml.a&id_token={}")
