<?php
// Second factors in PHP with its pgsql (Debian: php-pgsql): one CALL is one sign-in. Settings: PGHOST, PGUSER, ...
//
// Requests are lines, NUMBER enroll SUBJECT or NUMBER confirm|verify SUBJECT CODE; answers, NUMBER ANSWER.

$database = pg_connect('');

// The first column of the only row.
function ask(string $query, string ...$values): string
{
    global $database;
    $result = pg_query_params($database, $query, $values);
    if ($result === false) {
        throw new RuntimeException('no answer');
    }
    return pg_fetch_result($result, 0, 0);
}

// The otpauth:// URI for the QR code, secret included: only for the user who enrolls.
function enroll(string $subject): string
{
    return ask('SELECT * FROM otp.enroll($1, $2, $3)', $subject, 'Example', $subject);
}

function confirm(string $subject, string $typed): string
{
    return ask('CALL otp.confirm($1, $2)', $subject, $typed);
}

// After the password was right: let the user in if the answer is 'accepted', and in no other case.
function verify(string $subject, string $typed): string
{
    return ask('CALL otp.verify($1, $2)', $subject, $typed);
}

while (($line = fgets(STDIN)) !== false) {
    [$number, $request, $arguments] = explode(' ', trim($line), 3);
    echo "$number ", $request(...explode(' ', $arguments)), "\n";
}
