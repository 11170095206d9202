<?php
// A second factor by libotp, through PHP's FFI. It enrolls user 42, and answers each code that is typed.
//
//   php factor.php /usr/include/otp.cdef.h KEYRING
declare(strict_types=1);

$otp = FFI::cdef(file_get_contents($argv[1]), 'libotp.so.0');
$subject = 'user 42';
check($otp->otp_self_test());
$keyring = $otp->new('otp_keyring *');
check($otp->otp_keyring_open($argv[2], FFI::addr($keyring)));

/** Throws what a function's status means, unless that is success. */
function check(int $status): void {
  global $otp;
  if ($status !== $otp->OTP_OK) { throw new RuntimeException($otp->otp_status_string($status)); }
}

/** The bytes that a function writes, which takes a buffer and its length. */
function written(int $size, callable $function): string {
  global $otp;
  [$bytes, $length] = [$otp->new("char[$size]"), $otp->new('size_t')];
  $length->cdata = $size;
  check($function($bytes, FFI::addr($length)));
  return FFI::string($bytes, $length->cdata);
}

// The column otp of the user's row.
$column = written($otp->OTP_RECORD_MAX, fn($out, $length) => $otp->otp_record_enroll(
  $keyring, $subject, strlen($subject), null, null, 0, time(), $out, $length));
echo written($otp->OTP_URI_MAX + 1, fn($out, $length) => $otp->otp_record_uri(
  $keyring, $subject, strlen($subject), $column, strlen($column), 'Example', 7, 'alice', 5,
  $out, $length)), "\n";

$function = 'otp_record_confirm';
while (($typed = fgets(STDIN)) !== false) {
  $answer = $otp->new('otp_answer');
  $answer->size = FFI::sizeof($answer);
  check($otp->otp_answer_init(FFI::addr($answer)));
  $new = written($otp->OTP_RECORD_MAX, fn($out, $length) => $otp->$function(
    $keyring, $subject, strlen($subject), $column, strlen($column), $typed, strlen($typed), time(), null,
    $out, $length, FFI::addr($answer)));
  // UPDATE users SET otp = $new WHERE id = 42 AND otp = $column: answer only if one row has changed; else read again.
  if ($answer->changed) { $column = $new; }
  echo $otp->otp_answer_kind_string($answer->kind), "\n";
  if ($answer->kind === $otp->OTP_ANSWER_ENROLLED) { $function = 'otp_record_verify'; }
}
$otp->otp_keyring_destroy($keyring);
