// A user's factors from enrollment on, by an object with the package's names: the same in a table and in PostgreSQL.
import assert from "node:assert/strict";
import { createHmac } from "node:crypto";

// The code of an enrollment's URI, so many steps ahead.
export function codeOf(uri, ahead) {
  const bits = [...new URL(uri).searchParams.get("secret")].map((letter) =>
    "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567".indexOf(letter).toString(2).padStart(5, "0")).join("");
  const step = Buffer.alloc(8);
  step.writeBigUInt64BE(BigInt(Math.floor(Date.now() / 30000) + ahead));
  const tag = createHmac("sha1", Buffer.from(bits.match(/.{8}/g).map((byte) => parseInt(byte, 2)))).update(step).digest();
  return String((tag.readUInt32BE(tag[19] & 15) & 0x7fffffff) % 1000000).padStart(6, "0");
}

export const later = () => new Promise((done) => setTimeout(done, Math.random() * 5));

// A table that the SQL of Tool/record-service/README.md finds, in one row.
export function table() {
  const row = { otp: Buffer.alloc(0), recovery: Buffer.alloc(0) };
  async function query(statement, [, old, record]) {
    await later();
    const [, column] = statement.match(/(?:SELECT|SET) (\w+)/);
    if (statement.startsWith("SELECT")) return { rows: [{ record: row[column] }] };
    assert.match(statement, new RegExp(`^UPDATE users SET ${column} = \\$3 WHERE name = \\$1 AND ${column} = \\$2$`));
    if (!row[column].equals(old)) return { rowCount: 0 };
    row[column] = record;
    return { rowCount: 1 };
  }
  return { row, pool: { query } };
}

export async function life(factors, subject) {
  const isAnswered = async (expected, answer) => assert.equal((await answer).answer, expected);
  const options = { issuer: "Example", account: "alice" };
  await isAnswered("none", factors.verify(subject, "123456"));
  assert.equal((await factors.explain(subject, "123456")).cause, "none");
  assert.equal(await factors.unlock(subject), false);
  const isIn = async (state, factor) => assert.equal(await factors.state(subject, factor), state);
  await isIn("none");

  const uri = await factors.enroll(subject, options);
  await isIn("pending");
  const [now, next] = [codeOf(uri, 0), codeOf(uri, 1)];
  await isAnswered("rejected", factors.verify(subject, now));
  await isAnswered("enrolled", factors.confirm(subject, now));
  await isAnswered("rejected", factors.verify(subject, now));
  await isAnswered("accepted", factors.verify(subject, next));
  assert.equal((await factors.explain(subject, next)).cause, "replayed");
  for (const malformed of ["1".repeat(1e7), "1\0", "", "\ud800"]) {
    await isAnswered("rejected", factors.verify(subject, malformed));
  }
  for (const value of [123456, ["123456"], undefined]) {
    await assert.rejects(factors.verify(subject, value), { name: "OTPError", code: "invalidValue", field: "code" });
  }
  await assert.rejects(factors.enroll(subject, options), { code: "enrolled" });

  // Guesses are soon not looked at.
  let answer;
  do answer = await factors.verify(subject, "000000"); while (answer.answer === "rejected");
  assert.equal(answer.answer, "wait");
  assert.ok(answer.retryAfter >= 1 && Math.abs(answer.retryAt - Date.now() - answer.retryAfter * 1000) < 2500, answer);
  // A slow machine outlasts the first waits.
  let explained;
  for (let tries = 0; tries < 11 && !explained?.retryAt; tries++) {
    await factors.verify(subject, "000000");
    explained = await factors.explain(subject, next);
  }
  assert.ok(explained.retryAt instanceof Date);
  await isIn("active");
  await isIn("none", "recovery");
  assert.equal(await factors.unusedCodes(subject), 0);
  assert.equal(await factors.unlock(subject), true);
  await isAnswered("rejected", factors.verify(subject, next));

  // Of ten codes, which replace those before, each signs in once, as this factor only.
  const [former] = await factors.recoveryCodes(subject);
  const codes = await factors.recoveryCodes(subject);
  assert.equal(codes.length, 10);
  await isAnswered("rejected", factors.verify(subject, former, "recovery"));
  await isAnswered("accepted", factors.verify(subject, codes[0], "recovery"));
  await isAnswered("rejected", factors.verify(subject, codes[0], "recovery"));
  await isAnswered("rejected", factors.verify(subject, codes[1]));
  assert.equal(await factors.unusedCodes(subject), 9);
  await isIn("active", "recovery");

  // A new phone.
  const other = await factors.enroll(subject, { ...options, replace: true });
  await isAnswered("enrolled", factors.confirm(subject, codeOf(other, 0)));
}
