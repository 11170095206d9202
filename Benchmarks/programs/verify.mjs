// The nanoseconds of a record's verification by `otp record serve`, and of three codes by Node's createHmac:
// `node verify.mjs service OTP KEYRING`, `node verify.mjs createHmac`.
import { createHmac, timingSafeEqual } from "node:crypto";
import { open } from "../../LibOTP/bindings/node/index.js";

const secret = Buffer.from("12345678901234567890");
const [way, program, keyring] = process.argv.slice(2);

function codeOf(step) {
  const message = Buffer.alloc(8);
  message.writeBigUInt64BE(BigInt(step));
  const tag = createHmac("sha1", secret).update(message).digest();
  return String((tag.readUInt32BE(tag[19] & 15) & 0x7fffffff) % 1000000).padStart(6, "0");
}

async function byHmac(step) {
  const typed = Buffer.from("123456");
  return [step - 1, step, step + 1].filter((each) => timingSafeEqual(Buffer.from(codeOf(each)), typed)).length === 1;
}

async function byService() {
  const { ask } = open({ keyring, program }), subject = "user 42";
  const { record } = await ask({ op: "enroll", subject, secret: "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ", confirmed: true });
  const request = { op: "verify", subject, record };
  return async (step) => (await ask({ ...request, code: codeOf(step), time: step * 30 })).answer === "accepted";
}

const verify = way === "service" ? await byService() : byHmac;
const isRight = await verify(56666666);
if (way === "service" ? !isRight : codeOf(1) !== "287082") throw new Error(`${way} gives a wrong answer`);
let start;
// The first calls are for warming up.
for (let call = 1; call <= 2000; call++) {
  await verify(56666666 + call);
  if (call === 1000) start = process.hrtime.bigint();
}
console.log(Number(process.hrtime.bigint() - start) / 1000);
process.exit();
