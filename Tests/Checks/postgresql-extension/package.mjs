// The package for Node over a pool, and over a client, as one who is an application and an operator.
import { createRequire } from "node:module";
import { postgresql } from "../../../LibOTP/bindings/node/index.js";
import { life } from "../record-service/life.mjs";

const { Pool } = createRequire(import.meta.url)("pg");
const pool = new Pool(), client = await pool.connect();
await Promise.all([life(postgresql(pool), `pool-${process.pid}`), life(postgresql(client), `client-${process.pid}`)]);
client.release();
await pool.end();
