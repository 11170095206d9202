// 200 sign-ins at once with one code, and 60 wrong ones, by the page's rule: trial.mjs RULE OTP KEYRING
const [rule, otp, keyring] = process.argv.slice(2);
const { recordService, underTheRule } = await import(rule);

// Two servers, each with a service of its own.
const services = [recordService(keyring, otp), recordService(keyring, otp)];
const time = 1111111141, subject = "user 42";
const later = () => new Promise((done) => setTimeout(done, Math.random() * 5));

async function enrolled() {
  const secret = "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ";
  return (await services[0]({ op: "enroll", subject, secret, confirmed: true, time })).record;
}

async function answers(column, code, count) {
  const read = async () => { await later(); return column.record; };
  const replace = async (old, record) => {
    await later();
    if (column.record !== old) return false;
    column.record = record;
    return true;
  };
  const all = Array.from({ length: count }, (_, index) =>
    underTheRule(services[index % 2], { op: "verify", subject, code, time }, read, replace));
  return (await Promise.all(all)).map((answer) => answer.answer);
}

const column = { record: await enrolled() };
const accepted = (await answers(column, "266759", 200)).filter((answer) => answer === "accepted").length;
const other = { record: await enrolled() };
const looked = (await answers(other, "000000", 60)).filter((answer) => answer === "rejected").length;
const { failures } = await services[0]({ op: "info", subject, record: other.record, time });
// A service that ends at once, and one that cannot start; each is asked again later.
setTimeout(() => process.exit(1), 60_000).unref();
for (const program of ["true", "/nowhere/otp"]) {
  const ask = recordService(keyring, program);
  for (let count = 0; count < 2; count++) {
    if ((await ask({ op: "info", subject })).error !== "ended") process.exit(1);
  }
}
console.log(`${accepted} accepted; ${looked} looked at, ${failures} counted`);
process.exit(accepted === 1 && looked === 4 && failures === 4 ? 0 : 1);
