// Users' second factors in PostgreSQL, each in the column otp of its user's row, which is empty without one.
import { open } from "../../../bindings/node/index.js"; // In your program, "swift-otp".

/** The factors in a pool of `pg`, by the records of a child `otp record serve`. */
export function factorsIn(pool, keyring, program) {
  return open({ keyring, program }).underTheRule(
    async (subject) => (await pool.query("SELECT otp FROM users WHERE id = $1", [rowOf(subject)])).rows[0].otp,
    async (subject, factor, old, record) => {
      const update = "UPDATE users SET otp = $1 WHERE id = $2 AND otp = $3";
      return (await pool.query(update, [record, rowOf(subject), old])).rowCount === 1;
    });
}

const rowOf = (subject) => Number(subject.slice("user ".length));
