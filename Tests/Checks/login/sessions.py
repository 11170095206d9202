"""Web sessions: their names change with each step, none comes back once it has ended, and requests at once do not undo
what the others have done. And links in mail, which do not last."""
import concurrent.futures
import contextlib
import json
import os
import sqlite3
import tempfile
import time

from browser import PASSWORD, Browser, enroll, message, running, sign_in, sign_up

LINK = r"To %s: http://[^/]+(/verify\?\S+)"


def rotated(origin, messages):
    """Each step that verifies or changes something gives the session another name; a page that only shows does not."""
    email = "rotated@example.com"
    browser = Browser(origin)
    names = []

    def step(page):
        names.append(browser.cookie())
        return page

    page = step(browser.send(browser.get("/sign-up"), "/sign-up", email=email, password=PASSWORD))
    link = message(messages, LINK % email)
    page = step(browser.send(browser.get(link), "/verify", password=PASSWORD))
    assert "confirmed" in page.texts["status"]
    step(sign_in(browser, email))
    app, _ = enroll(browser, "App")
    page = step(browser.get("/account"))
    step(browser.send(browser.get("/recovery-codes"), "/recovery-codes"))
    page = browser.send(browser.get("/phones/add"), "/phones/add", phone="+493012345680")
    assert step(page).path == "/phones/code"
    step(browser.send(page, "/phones/code", code=message(messages, r"SMS to \+493012345680: (\d{6})")))
    page = step(sign_in(browser, email))
    phones = [at["value"] for tag, at in page.tags if at.get("type") == "radio"]
    sent = [browser.request("/second-factor/message", page.form("/second-factor") | {"factor": phone})
            for phone in phones]
    assert step(sent[-1]).path == "/second-factor" and len(phones) == 2
    uid = next(uid for uid, answer in zip(phones, sent) if answer.status == 422)
    assert step(browser.send(sent[-1], "/second-factor", factor=uid, code=app.code())).path == "/account"
    assert len(set(names)) == len(names), names
    name = browser.cookie()
    assert browser.get("/account").status == browser.get("/factors/add").status == 200 and browser.cookie() == name


def at_once(_, __):
    """While the database is locked, a request waits with what it has read; another one's change is there first."""
    with (tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(1) as pool,
          running("--attempts", "1000", folder=folder) as (origin, messages),
          contextlib.closing(sqlite3.connect(os.path.join(folder, "site.sqlite"), isolation_level=None)) as database):
        email = "at-once@example.com"
        browser = sign_up(origin, messages, email)
        sign_in(browser, email)
        enroll(browser, "App")

        def session():
            """The only session that there is with a handle."""
            rows = [(key, json.loads(value)) for key, value in database.execute("SELECT * FROM documents")
                    if bytes(key).startswith(b"session/")]
            return next(((key, value) for key, value in rows if "handle" in value), (None, None))

        # A page that only shows writes nothing, so it cannot undo anything.
        browser.get("/account")
        before = session()
        assert before[0] and browser.get("/account").path == "/account" and session() == before

        def during(send, change):
            database.execute("BEGIN IMMEDIATE")
            waiting = pool.submit(send)
            time.sleep(1)
            change()
            database.execute("COMMIT")
            return waiting.result()

        # One request changes one field, another one another field: both changes stay.
        def elsewhere():
            key, value = session()
            database.execute("UPDATE documents SET document = ? WHERE key = ?",
                             (json.dumps(value | {"next": "/sensitive"}).encode(), key))

        assert during(lambda: browser.get("/factors/add"), elsewhere).status == 200
        _, value = session()
        assert value["next"] == "/sensitive" and "secret" in value, value.keys()
        # A session that ends meanwhile stays ended, though the request would have given it a new name.
        page = browser.get("/recovery-codes")
        during(lambda: browser.send(page, "/recovery-codes"),
               lambda: database.execute("DELETE FROM documents WHERE key = ?", (session()[0],)))
        assert session() == (None, None)
        assert browser.get("/account").path == "/sign-in"


def old_links(_, __):
    """A link that verifies an address is good for a day."""
    emails = {"day@example.com": 86_300, "old@example.com": 86_500}
    with tempfile.TemporaryDirectory() as folder:
        links = {}
        with running(folder=folder) as (origin, messages):
            for email in emails:
                browser = Browser(origin)
                browser.send(browser.get("/sign-up"), "/sign-up", email=email, password=PASSWORD)
                links[email] = message(messages, LINK % email)
        with contextlib.closing(sqlite3.connect(os.path.join(folder, "site.sqlite"))) as database:
            for email, age in emails.items():
                key = f"account/{email}".encode()
                (value,), = database.execute("SELECT document FROM documents WHERE key = ?", (key,))
                account = json.loads(value)
                account["signUpDate"] -= age
                database.execute("UPDATE documents SET document = ? WHERE key = ?", (json.dumps(account).encode(), key))
            database.commit()
        with running(folder=folder) as (origin, messages):
            pages = [browser.send(browser.get(link), "/verify", password=PASSWORD)
                     for browser, link in ((Browser(origin), link) for link in links.values())]
            assert [page.status for page in pages] == [200, 422], [page.text for page in pages]
            assert "more than a day old" in pages[1].texts["error"]
            # Who signs up again gets a new one.
            sign_up(origin, messages, "old@example.com")


TESTS = (rotated, at_once, old_links)
