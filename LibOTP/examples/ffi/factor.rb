# A second factor by libotp, through Ruby's Fiddle. It enrolls user 42, and answers each code that is typed.
#
#   ruby factor.rb KEYRING
require 'fiddle/import'

module OTP
  extend Fiddle::Importer
  dlload 'libotp.so.0'

  # From otp.h: a structure's members in its order, an enumeration as int, const left out.
  Answer = struct ['size_t size', 'int kind', 'int status', 'int reason', 'int changed', 'int64_t _step',
                   'int64_t drift', 'int has_until', 'int64_t until_']
  ENROLLED = 2
  extern 'int otp_self_test()'
  extern 'char *otp_status_string(int)'
  extern 'char *otp_answer_kind_string(int)'
  extern 'int otp_keyring_open(char *, void *)'
  extern 'void otp_keyring_destroy(void *)'
  extern 'int otp_answer_init(void *)'
  extern 'int otp_record_enroll(void *, char *, size_t, void *, char *, size_t, int64_t, void *, void *)'
  extern 'int otp_record_uri(void *, char *, size_t, char *, size_t, char *, size_t, char *, size_t, void *, void *)'
  SUBMISSION = '(void *, char *, size_t, char *, size_t, char *, size_t, int64_t, void *, void *, void *, void *)'
  extern "int otp_record_confirm#{SUBMISSION}"
  extern "int otp_record_verify#{SUBMISSION}"

  # Raises what a function's status means, unless that is success.
  def self.check(status)
    raise otp_status_string(status).to_s unless status.zero?
  end

  # The bytes that a function writes, which takes a buffer and its length.
  def self.written(size)
    bytes = "\0".b * size
    length = [size].pack('J')
    check(yield(bytes, length))
    bytes[0, length.unpack1('J')]
  end
end

subject = 'user 42'
OTP.check(OTP.otp_self_test)
pointer = [0].pack('J')
OTP.check(OTP.otp_keyring_open(ARGV[0], pointer))
keyring = pointer.unpack1('J')

# The column otp of the user's row.
column = OTP.written(1536) do |out, length|
  OTP.otp_record_enroll(keyring, subject, subject.bytesize, nil, nil, 0, Time.now.to_i, out, length)
end
uri = OTP.written(2049) do |out, length|
  OTP.otp_record_uri(keyring, subject, subject.bytesize, column, column.bytesize, 'Example', 7, 'alice', 5, out, length)
end
puts uri
$stdout.flush

function = :otp_record_confirm
while (typed = $stdin.gets)
  answer = OTP::Answer.malloc(Fiddle::RUBY_FREE)
  answer.size = OTP::Answer.size
  OTP.check(OTP.otp_answer_init(answer))
  new = OTP.written(1536) do |out, length|
    OTP.public_send(function, keyring, subject, subject.bytesize, column, column.bytesize, typed, typed.bytesize,
                    Time.now.to_i, nil, out, length, answer)
  end
  # UPDATE users SET otp = $new WHERE id = 42 AND otp = $column: answer only if one row has changed; else read again.
  column = new if answer.changed == 1
  puts OTP.otp_answer_kind_string(answer.kind).to_s
  $stdout.flush
  function = :otp_record_verify if answer.kind == OTP::ENROLLED
end
OTP.otp_keyring_destroy(keyring)
