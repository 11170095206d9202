// The page for Express over HTTP, mounted as in the package's README (readme.mjs), over the table of page.mjs. Express
// is in NODE_PATH.
import assert from "node:assert/strict";
import { request as begin } from "node:http";
import { createRequire } from "node:module";
import { codeOf, table } from "./life.mjs";
import { factorsIn } from "./page.mjs";
import { addSecondFactor } from "./readme.mjs";

const express = createRequire(import.meta.url)("express");
const user = { subject: "user 42", account: `<a href='x'>&"alice` };
setTimeout(() => process.exit(1), 60_000).unref();
const { row, pool } = table();
const [service, factors] = factorsIn(pool);

// The session of the next request, and the URI that was last drawn.
let session, uri;
const byPassword = () => { session = { user }; };
async function served(qr, ...parsers) {
  const app = express().set("trust proxy", true);
  app.use((request, response, next) => {
    session.regenerate = (done) => { request.session = session = {}; done(); };
    request.session = session;
    next();
  }, ...parsers);
  addSecondFactor(app, factors, qr);
  app.use((error, request, response, next) => response.status(500).send(error.code)); // Has four parameters.
  const server = app.listen(0, "127.0.0.1");
  await new Promise((done) => server.on("listening", done));
  return `http://127.0.0.1:${server.address().port}`;
}
const bare = await served();
let site = await served(async (drawn) => { uri = drawn; return "<svg></svg>"; });
const own = { "sec-fetch-site": "same-origin" };

// What is shown, after what must be so of every answer.
async function asked(status, fields, headers = own, path = "/second-factor") {
  const options = fields && { method: "POST", headers, body: new URLSearchParams(fields), redirect: "manual" };
  const response = await fetch(site + path, options), text = await response.text();
  assert.equal(response.status, status, text);
  assert.equal(response.headers.get("cache-control"), status === 404 || status === 500 ? null : "no-store");
  assert.equal(response.headers.get("location"), status === 303 ? "/" : null);
  assert.equal(status === 303, Boolean(session.isSignedIn && fields?.action === "verify"));
  assert.doesNotMatch(text, /<a href='x'>|&"|otpauth:| action=|href="[^/]/);
  return { text, response, codes: [...text.matchAll(/<li><code>([A-Z2-7-]{29})</g)].map(([, code]) => code) };
}
const post = (status, action, code = "", ...rest) => asked(status, { action, code }, ...rest);
const shows = async (what) => assert.match((await asked(200)).text, what);

// Without a password, or by another site's form, nothing is done.
session = {};
for (const fields of [undefined, { action: "enroll" }]) assert.doesNotMatch((await asked(401, fields)).text, /button/);
byPassword();
await shows(/value="enroll"/);
const origin = site, byProxy = { origin: site.replace("http", "https"), "x-forwarded-proto": "https" };
for (const forged of [
  {}, { origin, "sec-fetch-site": "cross-site" }, { "sec-fetch-site": "same-site" }, { origin: "null" },
  { origin: "http://localhost" }, { origin: byProxy.origin },
]) await post(403, "enroll", "", forged);
await post(403, "enroll", "1".repeat(5000));
assert.equal(row.otp.length, 0);
// While the user is new: what the form says comes later.
const length = { "content-type": "application/x-www-form-urlencoded", "content-length": 13 };
const held = begin(site + "/second-factor", { method: "POST", headers: { ...own, ...length } });
held.flushHeaders();

// The first app: by its key, if there is no picture. Its code does not sign in.
site = bare;
assert.match((await post(200, "enroll")).text, /app\.<p><p>Key: <code>([A-Z2-7]{4} ){7}[A-Z2-7]{4}</);
site = origin;
const { text } = await post(200, "enroll", "", byProxy);
assert.match(text, /&#60;a href=&#39;x&#39;&#62;&#38;&#34;alice .*<svg>/);
assert.ok(text.replaceAll(" ", "").includes(`Key:<code>${new URL(uri).searchParams.get("secret")}</code>`));
assert.match((await post(401, "confirm", "000000", { origin })).text, /value="confirm".*value="enroll"/);
const first = codeOf(uri, 0), { codes } = await post(200, "confirm", first);
assert.ok(codes.length === 10 && !session.isSignedIn);
await shows(/value="verify"/);

// It works, and a password is not enough to replace it.
await post(409, "enroll");
for (const action of ["verify", "replace", "codes"]) await post(401, action, first);
const before = session;
await post(303, "verify", codeOf(uri, 1));
assert.ok(session.isSignedIn && session.user === before.user && session !== before);
byPassword();
await post(303, "verify", codes[0].toLowerCase());
byPassword();
await post(401, "verify", codes[0]);

// A new phone, and the same recovery codes, which help if its key was never seen. Until it is confirmed, a password is
// not enough for another.
const renewed = await post(200, "replace", codes[1]);
assert.ok(renewed.codes.length === 0 && session.isSignedIn && await factors.state(user.subject) === "pending");
byPassword();
await shows(/value="verify"/);
await post(409, "enroll");
held.end("action=enroll");
assert.equal((await new Promise((done) => held.on("response", done))).statusCode, 409);
await post(200, "replace", codes[2]);
byPassword();
const pending = uri;
await post(401, "verify", codes[2]);
await post(401, "confirm", "");
assert.equal((await post(200, "confirm", codeOf(pending, 0))).codes.length, 0);
assert.ok(!session.isSignedIn);
await post(401, "confirm", codeOf(pending, 0));
const [last] = (await post(200, "codes", codes[3])).codes;
assert.ok(session.isSignedIn);
byPassword();
await post(401, "verify", codes[4]);

// By the application's parsers; what is no text is no code.
site = await served(undefined, express.json(), express.urlencoded({ extended: true }));
await asked(401, { action: "verify", "code[]": "1", "code[a]": "2" });
await asked(401, { action: "verify", "code[toString]": "1" });
await post(303, "verify", last);
byPassword();

// Without recovery codes, the app still works. Guesses are soon not looked at.
row.recovery = Buffer.alloc(0);
await shows(/value="verify"/);
while ((await factors.verify(user.subject, "000000")).answer !== "wait");
const late = await post(429, "replace", codeOf(pending, 2));
assert.ok(Number(late.response.headers.get("retry-after")) >= 1 && !session.isSignedIn);

// There must be some before the app is pending.
await factors.unlock(user.subject);
assert.equal((await post(200, "replace", codeOf(pending, 1))).codes.length, 10);
const [only] = await factors.recoveryCodes(user.subject, 1);
assert.equal((await post(200, "replace", only)).codes.length, 10);

await asked(404, undefined, own, "/second-factor/more");
service.close();
assert.equal((await asked(500)).text, "closed");
console.log("record-service: the page for Express");
process.exit();
