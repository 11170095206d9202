// Keeps users' second factors in a column of a table: see factors.mjs and ../README.md. Settings as for psql: PGHOST, ...
//
//     main.mjs DATABASE KEYRING WORKERS < requests       with node-pg in NODE_PATH; $OTP is the tool
import { createRequire } from "node:module";
import { createInterface } from "node:readline";
import { factorsIn } from "./factors.mjs";

const { Pool } = createRequire(import.meta.url)("pg");
const [database, keyring, workers] = process.argv.slice(2);
const settings = Object.fromEntries(database.split(" ").map((setting) => setting.replace("dbname", "database").split("=")));
const pool = new Pool({ ...settings, max: Number(workers) });
const factors = factorsIn(pool, keyring, process.env.OTP);

async function serve(request, user, code) {
  if (request === "enroll") {
    // Empty, if the user has a factor.
    return await factors.enroll(user, { issuer: "Example", account: user })
      .catch((error) => { if (error.code !== "enrolled") throw error; return ""; });
  }
  return (await (request === "confirm" ? factors.confirm : factors.verify)(user, code)).answer;
}

let awaited = 1; // The input's end, and each request's answer: after the last, it ends.
const arrived = () => --awaited || process.exit();

createInterface({ input: process.stdin }).on("line", async (line) => {
  awaited += 1;
  const [number, request, user, code] = line.split(" ");
  const answer = await serve(request, `user ${user}`, code).catch((error) => `error ${error.code}`);
  process.stdout.write(`${number} ${answer}\n`, arrived);
}).on("close", arrived);
