// The package for Node, and the page's program with it: trial.mjs FOLDER, which has a keyring, page.mjs, `nonsense`, and
// bin/otp, which notes its process.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { open } from "swift-otp";
import { codeOf, later, life, table } from "./life.mjs";
import { factorsIn } from "./page.mjs";

const folder = process.argv[2], keyring = `${folder}/keyring`, program = `${folder}/bin/otp`;
const subject = "user 42", secret = "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ";
setTimeout(() => process.exit(1), 60_000).unref();
const { row, pool } = table();
const [service, factors] = factorsIn(pool);
await life(factors, subject);
row.recovery = row.otp;
await assert.rejects(factors.verify(subject, "000000", "recovery"), { code: "anotherSubject" });

// 200 sign-ins at once with one code, and 60 wrong ones, by two servers with a service of each. It is an hour until the
// next one is looked at, however slow the machine.
const policy = { initialDelaySeconds: 3600 };
const services = [open({ keyring, program, policy }), open({ keyring, program, policy })];
async function answers(code, count) {
  let column = Buffer.from((await services[0].ask({ op: "enroll", subject, secret, confirmed: true })).record, "base64");
  const read = async () => { await later(); return column; };
  const replace = async (name, factor, old, record) => {
    await later();
    if (column !== old) return false;
    column = record;
    return true;
  };
  const all = await Promise.all(Array.from({ length: count }, (_, index) =>
    services[index % 2].underTheRule(read, replace).verify(subject, code)));
  const { failures } = await services[0].ask({ op: "info", subject, record: column.toString("base64") });
  return { count: (answer) => all.filter((each) => each.answer === answer).length, failures };
}
assert.equal((await answers(codeOf(`otpauth://totp/a?secret=${secret}`, 0), 200)).count("accepted"), 1);
const wrong = await answers("000000", 60);
assert.deepEqual([wrong.count("rejected"), wrong.failures], [4, 4]);

const never = services[0].underTheRule(async () => null, async () => false);
await assert.rejects(never.enroll(subject, { issuer: "E", account: "a" }), { code: "invalidValue" });

// What was asked of a child that ends is refused, and the next request starts another; also one that says nonsense.
const info = { op: "recoveryCodes", subject };
for (const ending of ["true", "/nowhere/otp", `${folder}/nonsense`]) {
  const { ask } = open({ keyring, program: ending });
  for (let count = 0; count < 2; count++) await assert.rejects(ask(info), { name: "OTPError", code: "ended" });
}
const path = `${folder}/socket`;
const pid = () => Number(readFileSync(`${folder}/pid`, "utf8"));
let listening;
process.on("exit", () => listening?.kill());
const listen = () => { listening = spawn(program, ["record", "serve", keyring, "--socket", path], { stdio: "inherit" }); };
for (const options of [{ keyring, program }, { socket: path }]) {
  const one = open(options);
  if (options.socket) listen();
  while (!await one.ask(info).catch(() => false)) await later();
  process.kill(pid(), "SIGSTOP");
  while (!readFileSync(`/proc/${pid()}/stat`, "utf8").includes(") T ")) await later();
  const asked = [one.ask(info), one.ask(info)].map((each) => assert.rejects(each, { code: "ended" }));
  await later();
  process.kill(pid(), "SIGKILL");
  await Promise.all(asked);
  if (options.socket) listen();
  while (!await one.ask(info).catch(() => false)) await later();
  // What was asked before the end is answered.
  const last = one.ask(info);
  await later();
  one.close();
  assert.equal((await last).codes.length, 10);
  await assert.rejects(one.ask(info), { code: "closed" });
}
listening.kill();
for (const each of [service, ...services]) each.close();
console.log("record-service: the package for Node, its child and its socket");
