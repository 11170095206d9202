<?php
// As trial.mjs, by RecordService.php and 20 processes, as PHP-FPM has: trial.php SOCKET COLUMN CLASS
use SwiftOTP\{RecordException, RecordService};

[, $socket, $column, $class] = $argv;
require $class;
$common = ['subject' => "\u{e4}\"\\", 'time' => 1111111141];
$service = new RecordService($socket);
$confirmed = ['op' => 'enroll', 'secret' => 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ', 'confirmed' => true] + $common;

function required(bool $condition, string $what): void
{
    if (!$condition) {
        fwrite(STDERR, "record-service: PHP: $what\n");
        exit(1);
    }
}

function refused(string $error, callable $call): void
{
    try {
        $call();
        required(false, "$error is expected");
    } catch (RecordException $found) {
        required($found->error === $error, "$found->error, not $error");
    }
}

// Ten requests by each process, on one column: the number of those that are answered so.
function answers(string $code, string $counted): int
{
    global $service, $socket, $column, $common, $confirmed;
    file_put_contents($column, base64_decode($service->ask($confirmed)['record']));
    $replace = function (?string $old, string $record) use ($column): bool {
        $lock = fopen("$column.lock", 'c');
        flock($lock, LOCK_EX);
        if (file_get_contents($column) !== $old) {
            return false;
        }
        // At once, for those that read meanwhile.
        file_put_contents("$column.new", $record);
        return rename("$column.new", $column);
    };
    $children = [];
    for ($index = 0; $index < 20; $index++) {
        $child = pcntl_fork();
        if ($child !== 0) {
            $children[] = $child;
            continue;
        }
        $own = new RecordService($socket);
        $found = 0;
        for ($count = 0; $count < 10; $count++) {
            $request = ['op' => 'verify', 'code' => $code] + $common;
            $answer = $own->underTheRule($request, fn () => file_get_contents($column), $replace);
            $found += $answer['answer'] === $counted ? 1 : 0;
        }
        exit($found);
    }
    return array_sum(array_map(fn ($child) => pcntl_waitpid($child, $status) ? pcntl_wexitstatus($status) : 0, $children));
}

required(answers('266759', 'accepted') === 1, 'a code is not accepted once');
required(answers('000000', 'rejected') === 4, 'not four are looked at');
required(count($service->ask(['op' => 'recoveryCodes'] + $common)['codes']) === 10, 'recovery codes');
$record = $service->ask($confirmed)['record'];
refused('enrolled', fn () => $service->ask(['op' => 'enroll', 'issuer' => '', 'account' => '', 'record' => $record] + $common));
refused('ended', fn () => (new RecordService("$socket.none"))->ask(['op' => 'recoveryCodes'] + $common));
