<?php
// As trial.mjs, by RecordService.php and 20 processes, as PHP-FPM has: trial.php SOCKET COLUMN CLASS
use SwiftOTP\{RecordException, RecordService};

[, $socket, $column, $class] = $argv;
require $class;
$common = ['subject' => "\u{e4}\"\\", 'time' => 1111111141];
$service = new RecordService($socket);
$confirmed = ['op' => 'enroll', 'secret' => 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ', 'confirmed' => true] + $common;

function error(callable $call): ?string
{
    try {
        $call();
        return null;
    } catch (RecordException $found) {
        return $found->error;
    }
}

// Ten requests by each process, on one column: the number of those that are answered so.
function answers(string $code, string $counted): int
{
    global $service, $column, $common, $confirmed;
    file_put_contents($column, base64_decode($service->ask($confirmed)['record']));
    $replace = function (?string $old, string $record) use ($column): bool {
        $lock = fopen("$column.lock", 'c');
        flock($lock, LOCK_EX);
        // At once, for those that read meanwhile.
        return file_get_contents($column) === $old && file_put_contents("$column.new", $record)
            && rename("$column.new", $column);
    };
    for ($index = 0; $index < 20; $index++) {
        if (pcntl_fork() !== 0) {
            continue;
        }
        $found = 0; // By the parent's object, whose connection is open.
        for ($count = 0; $count < 10; $count++) {
            $request = ['op' => 'verify', 'code' => $code] + $common;
            $answer = $service->underTheRule($request, fn () => file_get_contents($column), $replace);
            $found += $answer['answer'] === $counted ? 1 : 0;
        }
        exit($found);
    }
    for ($sum = 0; pcntl_wait($status) > 0; $sum += pcntl_wexitstatus($status));
    return $sum;
}

assert(answers('266759', 'accepted') === 1, 'a code is not accepted once');
assert(answers('000000', 'rejected') === 4, 'not four are looked at');
assert(count($service->ask(['op' => 'recoveryCodes'] + $common)['codes']) === 10);
$again = ['op' => 'enroll', 'issuer' => '', 'account' => '', 'record' => $service->ask($confirmed)['record']] + $common;
assert(error(fn () => $service->ask($again)) === 'enrolled');
$notUTF8 = ['op' => 'verify', 'code' => "\xFF", 'record' => $again['record']] + $common;
assert(error(fn () => $service->ask($notUTF8)) === 'invalidValue');
$never = fn () => $service->underTheRule(['op' => 'recoveryCodes'] + $common, fn () => null, fn () => false);
assert(error($never) === 'invalidValue');
assert(error(fn () => (new RecordService("$socket.none"))->ask(['op' => 'recoveryCodes'] + $common)) === 'ended');
