// Second factors in Node with node-pg (Debian: node-pg): one CALL is one sign-in. Settings: PGHOST, PGUSER, ...
//
// Requests are lines, NUMBER enroll SUBJECT or NUMBER confirm|verify SUBJECT CODE; answers, NUMBER ANSWER.
import { createRequire } from 'node:module'
import { createInterface } from 'node:readline'
import { postgresql } from '../../bindings/node/index.js' // In your program, 'swift-otp'.

const { Pool } = createRequire(import.meta.url)('pg')
const pool = new Pool({ max: 10 })
const factors = postgresql(pool)

const requests = {
  // The otpauth:// URI for the QR code, secret included: only for the user who enrolls.
  enroll: subject => factors.enroll(subject, { issuer: 'Example', account: subject }),
  confirm: async (subject, typed) => (await factors.confirm(subject, typed)).answer,
  // After the password was right. Let the user in if it is 'accepted', and in no other case.
  verify: async (subject, typed) => (await factors.verify(subject, typed)).answer
}
const answers = []
createInterface({ input: process.stdin })
  .on('line', line => {
    const [number, request, subject, typed] = line.split(' ')
    answers.push(requests[request](subject, typed).then(answer => console.log(number, answer)))
  })
  .on('close', () => Promise.all(answers).then(() => pool.end()))
