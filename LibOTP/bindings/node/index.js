// Second factors by `otp record serve`, or by the extension otp_record of PostgreSQL: see README.md. Lines have codes
// and secrets, so nothing is logged, and no error repeats a value.
import { spawn } from "node:child_process";
import { connect } from "node:net";
import { createInterface } from "node:readline";

export class OTPError extends Error {
  constructor(code, field) {
    super(field ? `otp: ${code}: ${field}` : `otp: ${code}`);
    this.name = "OTPError";
    this.code = code;
    this.field = field;
  }
}

// One child or socket, and the requests that it has not answered.
class Connection {
  isEnded = false;
  #waiting = new Map();
  #last = 0;

  constructor({ keyring, program = "otp", socket }) {
    const end = () => this.#end("ended");
    if (socket) {
      this.stream = connect(socket).on("error", end).on("close", end);
      this.output = this.stream;
      this.#read(this.stream);
    } else {
      this.stream = spawn(program, ["record", "serve", keyring], { stdio: ["pipe", "pipe", "inherit"] });
      this.stream.on("error", end).on("close", end);
      this.output = this.stream.stdin;
      // Without them, no file could be opened, which is an error of the child's.
      this.output?.on("error", end);
      if (this.stream.stdout) this.#read(this.stream.stdout);
    }
  }

  #read(input) {
    createInterface({ input, crlfDelay: Infinity }).on("error", () => {}).on("line", (line) => {
      let answer;
      try {
        answer = JSON.parse(line);
      } catch {
        return this.#end("ended"); // The last line of one that was killed.
      }
      const { id, error, field, ...fields } = Object(answer);
      const request = this.#waiting.get(id);
      if (!request) return this.#end(error ?? "ended"); // Such as `busy`, before the end.
      this.#waiting.delete(id);
      if (error) request.reject(new OTPError(error, field));
      else request.resolve(fields);
    });
  }

  ask(request) {
    return new Promise((resolve, reject) => {
      const id = ++this.#last;
      this.#waiting.set(id, { resolve, reject });
      this.output?.write(JSON.stringify(Object.assign({ id }, request, { id })) + "\n");
    });
  }

  #end(code) {
    this.isEnded = true;
    for (const { reject } of this.#waiting.values()) reject(new OTPError(code));
    this.#waiting.clear();
    if (this.stream.kill) this.stream.kill();
    else this.stream.destroy();
  }
}

export function open(options) {
  let connection, isClosed = false;
  const ask = async (request) => {
    if (isClosed) throw new OTPError("closed");
    if (!connection || connection.isEnded) connection = new Connection(options);
    return connection.ask(options.policy ? { policy: options.policy, ...request } : request);
  };
  return {
    ask,
    underTheRule: (read, replace) => records(ask, read, replace),
    close() {
      isClosed = true;
      connection?.output?.end();
    },
  };
}

// What no app shows is not worth a line; PostgreSQL has no NUL, and UTF-8 no lone surrogate: each is malformed.
function typed(code) {
  if (typeof code !== "string") throw new OTPError("invalidValue", "code");
  return code.length > 256 || /[\0\p{Cs}]/u.test(code) ? "?" : code;
}

const dated = (seconds) => (seconds === undefined ? undefined : new Date(seconds * 1000));

function records(ask, read, replace) {
  // Undefined without a record, unless it is one that makes a record.
  async function underTheRule(op, subject, factor, fields, isFirst = false) {
    if (typeof subject !== "string" || subject.includes("\0")) throw new OTPError("invalidValue", "subject");
    const sealedFor = factor === "app" ? subject : `${subject}\0${factor}`;
    for (let last, refused = 0; refused < 16; refused++) {
      const old = await read(subject, factor);
      if (!old?.length && !isFirst) return undefined;
      const given = old?.length ? { record: Buffer.from(old).toString("base64") } : {};
      if (given.record !== last) [last, refused] = [given.record, 0];
      const { record, changed, ...answer } = await ask({ op, subject: sealedFor, ...given, ...fields });
      if (!changed || await replace(subject, factor, old, Buffer.from(record, "base64"))) return answer;
    }
    // What is read is never replaced, as in a column that is NULL.
    throw new OTPError("invalidValue", "record");
  }
  async function submitted(op, subject, code, factor) {
    const { answer = "none", reason, retryAt } = await underTheRule(op, subject, factor, { code: typed(code) }) ?? {};
    const retryAfter = retryAt && Math.max(1, Math.ceil(retryAt - Date.now() / 1000));
    return { answer, reason, retryAfter, retryAt: dated(retryAt) };
  }
  return {
    async enroll(subject, { issuer, account, replace: evenIfActive = false }, factor = "app") {
      return (await underTheRule("enroll", subject, factor, { issuer, account, replace: evenIfActive }, true)).uri;
    },
    confirm: (subject, code, factor = "app") => submitted("confirm", subject, code, factor),
    verify: (subject, code, factor = "app") => submitted("verify", subject, code, factor),
    async recoveryCodes(subject, count = 10) {
      return (await underTheRule("recoveryCodes", subject, "recovery", { count }, true)).codes;
    },
    unlock: async (subject, factor = "app") => await underTheRule("unlock", subject, factor) !== undefined,
    async state(subject, factor = "app") {
      const { state = "none" } = await underTheRule("info", subject, factor) ?? {};
      return state === "none" || state === "pending" ? state : "active";
    },
    async unusedCodes(subject) {
      return (await underTheRule("info", subject, "recovery"))?.unusedCodes?.length ?? 0;
    },
    async explain(subject, code, factor = "app") {
      const { cause = "none", diagnosis, offset, odds, retryAt, needs } =
        await underTheRule("explain", subject, factor, { code: typed(code) }) ?? {};
      return { cause, diagnosis, offset, odds, retryAt: dated(retryAt), needsEnrollment: needs === "enrollment" };
    },
  };
}

export function postgresql(client) {
  const rows = async (text, ...values) => (await client.query(text, values)).rows;
  async function submitted(procedure, subject, code, factor) {
    const [row] = await rows(`CALL otp.${procedure}($1, $2, $3)`, subject, typed(code), factor);
    return {
      answer: row.answer, reason: row.reason ?? undefined, retryAfter: row.wait_seconds ?? undefined,
      retryAt: row.retry_at ?? undefined,
    };
  }
  return {
    async enroll(subject, { issuer, account, replace = false }, factor = "app") {
      const statement = "SELECT otp.enroll($1, $2, $3, $4, replace => $5) AS uri";
      try {
        return (await rows(statement, subject, issuer, account, factor, replace))[0].uri;
      } catch (error) {
        throw error.code === "23505" ? new OTPError("enrolled") : error; // unique_violation
      }
    },
    confirm: (subject, code, factor = "app") => submitted("confirm", subject, code, factor),
    verify: (subject, code, factor = "app") => submitted("verify", subject, code, factor),
    async recoveryCodes(subject, count = 10) {
      return (await rows("SELECT code FROM otp.recovery_codes($1, $2)", subject, count)).map(({ code }) => code);
    },
    unlock: async (subject, factor = "app") => (await rows("SELECT otp.unlock($1, $2)", subject, factor))[0].unlock,
    async state(subject, factor = "app") {
      const [row] = await rows("SELECT is_pending FROM otp.factors($1) WHERE factor = $2", subject, factor);
      return row ? (row.is_pending ? "pending" : "active") : "none";
    },
    async unusedCodes(subject) {
      const [row] = await rows("SELECT unused_codes FROM otp.factors($1) WHERE factor = 'recovery'", subject);
      return row?.unused_codes ?? 0;
    },
    async explain(subject, code, factor = "app") {
      const [row] = await rows("SELECT * FROM otp.explain($1, $2, $3)", subject, typed(code), factor);
      const number = (value) => (value == null ? undefined : Number(value)); // pg's bigint is a text.
      return {
        cause: row?.cause ?? "none", diagnosis: row?.says ?? undefined, offset: number(row?.ahead),
        odds: number(row?.odds), retryAt: row?.refused_until ?? undefined,
        needsEnrollment: row?.needs_enrollment ?? false,
      };
    },
  };
}
