// The nanoseconds of a record's verification by `otp record serve`, and of three codes by Node's createHmac:
// `node verify.mjs service OTP KEYRING`, `node verify.mjs createHmac`.
import { spawn } from "node:child_process";
import { createHmac, timingSafeEqual } from "node:crypto";
import { createInterface } from "node:readline";

const secret = Buffer.from("12345678901234567890");
const [subject, program, keyring] = process.argv.slice(2);

function codeOf(step) {
  const message = Buffer.alloc(8);
  message.writeBigUInt64BE(BigInt(step));
  const tag = createHmac("sha1", secret).update(message).digest();
  return String((tag.readUInt32BE(tag[19] & 15) & 0x7fffffff) % 1000000).padStart(6, "0");
}

function byHmac() {
  const typed = Buffer.from("123456");
  return async (step) => [step - 1, step, step + 1].filter((each) => timingSafeEqual(Buffer.from(codeOf(each)), typed)).length === 1;
}

async function byService() {
  const service = spawn(program, ["record", "serve", keyring], { stdio: ["pipe", "pipe", "inherit"] });
  const lines = createInterface({ input: service.stdout })[Symbol.asyncIterator]();
  const ask = async (request) => {
    service.stdin.write(JSON.stringify({ id: 1, subject: "user 42", ...request }) + "\n");
    return JSON.parse((await lines.next()).value);
  };
  const { record } = await ask({ op: "enroll", secret: "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ", confirmed: true });
  return async (step) => (await ask({ op: "verify", record, code: codeOf(step), time: step * 30 })).answer === "accepted";
}

const verify = await (subject === "service" ? byService() : byHmac());
const isRight = await verify(56666666);
if (subject === "service" ? !isRight : codeOf(1) !== "287082") throw new Error(`${subject} gives a wrong answer`);
let start;
// The first calls are for warming up.
for (let call = 1; call <= 2000; call++) {
  await verify(56666666 + call);
  if (call === 1000) start = process.hrtime.bigint();
}
console.log(Number(process.hrtime.bigint() - start) / 1000);
process.exit();
