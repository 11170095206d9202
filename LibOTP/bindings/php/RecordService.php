<?php
declare(strict_types=1);

namespace SwiftOTP;

/** An error, which is never a wrong code: let no one in. It repeats no value. */
final class RecordException extends \RuntimeException
{
    /** @param string $error such as "enrolled", or "ended" */
    public function __construct(public readonly string $error, public readonly ?string $field = null)
    {
        parent::__construct("otp: $error" . ($field === null ? '' : ": $field"));
    }
}

/** Second factors by the socket of `otp record serve`: see Tool/record-service/README.md. */
final class RecordService
{
    /** @var array<int, resource|null> by process: after a fork, one would read what the other waits for */
    private array $connections = [];

    public function __construct(private readonly string $socket, private readonly float $seconds = 10)
    {
    }

    /**
     * Every field of the answer.
     *
     * @param array<string, mixed> $request
     * @return array<string, mixed>
     */
    public function ask(#[\SensitiveParameter] array $request): array
    {
        $id = bin2hex(random_bytes(16));
        $line = json_encode(['id' => $id] + $request);
        if ($line === false) {
            // Not UTF-8. An exception of json_encode would have the request in its trace.
            throw new RecordException('invalidValue');
        }
        $answer = json_decode((string) $this->exchanged("$line\n"), true);
        if (($answer['id'] ?? null) !== $id) {
            // Nothing later on this connection is read as the answer to another request.
            unset($this->connections[getmypid()]);
            throw new RecordException($answer['error'] ?? 'ended');
        }
        unset($answer['id']);
        if (isset($answer['error'])) {
            throw new RecordException($answer['error'], $answer['field'] ?? null);
        }
        return $answer;
    }

    private function exchanged(#[\SensitiveParameter] string $line): string|false
    {
        $connection = &$this->connections[getmypid()];
        $connection ??= @stream_socket_client("unix://$this->socket", $code, $text, $this->seconds) ?: null;
        if ($connection === null) {
            return false;
        }
        stream_set_timeout($connection, (int) ceil($this->seconds));
        // A line ends as a whole, or the service has ended.
        return @fwrite($connection, $line) === strlen($line) ? fgets($connection) : false;
    }

    /**
     * Replaces the record that was read with the new one, if it is still there, and answers only then. After
     * sixteen refusals of the same record, as in a column that is NULL, throws RecordException with `invalidValue`.
     *
     * @param array<string, mixed> $request
     * @param callable(): ?string $read the column, as bytes
     * @param callable(?string, string): bool $replace whether the new bytes have replaced the old, and are committed
     * @return array<string, mixed>
     */
    public function underTheRule(#[\SensitiveParameter] array $request, callable $read, callable $replace): array
    {
        for ($last = null, $refused = 0; $refused < 16; $refused++) {
            $old = $read();
            if ($old !== $last) {
                [$last, $refused] = [$old, 0];
            }
            $given = $old === null || $old === '' ? [] : ['record' => base64_encode($old)];
            $answer = $this->ask($given + $request);
            if (!($answer['changed'] ?? false) || $replace($old, base64_decode($answer['record']))) {
                return $answer;
            }
        }
        throw new RecordException('invalidValue', 'record');
    }
}
