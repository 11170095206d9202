// Second factors in Node with node-pg (Debian: node-pg): one CALL is one sign-in. Settings: PGHOST, PGUSER, ...
//
// Requests are lines, NUMBER enroll SUBJECT or NUMBER confirm|verify SUBJECT CODE; answers, NUMBER ANSWER.
const { Pool } = require('pg')
const readline = require('readline')

const pool = new Pool({ max: 10 })

// The otpauth:// URI for the QR code, secret included: only for the user who enrolls.
async function enroll (subject) {
  const { rows } = await pool.query('SELECT * FROM otp.enroll($1, $2, $3)', [subject, 'Example', subject])
  return rows[0].enroll
}

async function confirm (subject, typed) {
  const { rows } = await pool.query('CALL otp.confirm($1, $2)', [subject, typed])
  return rows[0].answer // 'enrolled', or 'rejected'
}

// After the password was right. The CALL has committed: what was counted and spent stays so.
async function verify (subject, typed) {
  const { rows } = await pool.query('CALL otp.verify($1, $2)', [subject, typed])
  return rows[0].answer // Let the user in if it is 'accepted', and in no other case.
}

const requests = { enroll, confirm, verify }
const answers = []
readline.createInterface({ input: process.stdin })
  .on('line', line => {
    const [number, request, subject, typed] = line.split(' ')
    answers.push(requests[request](subject, typed).then(answer => console.log(number, answer)))
  })
  .on('close', () => Promise.all(answers).then(() => pool.end()))
