# Second factors in Ruby with pg (Debian: ruby-pg): one CALL is one sign-in. Settings: PGHOST, PGUSER, ...
#
# Requests are lines, NUMBER enroll SUBJECT or NUMBER confirm|verify SUBJECT CODE; answers, NUMBER ANSWER.
require 'pg'

class Factors
  def initialize
    @database = PG.connect
  end

  # The otpauth:// URI for the QR code, secret included: only for the user who enrolls.
  def enroll(subject)
    ask('SELECT * FROM otp.enroll($1, $2, $3)', subject, 'Example', subject)
  end

  def confirm(subject, typed)
    ask('CALL otp.confirm($1, $2)', subject, typed)
  end

  # After the password was right: let the user in if the answer is 'accepted', and in no other case.
  def verify(subject, typed)
    ask('CALL otp.verify($1, $2)', subject, typed)
  end

  private

  def ask(query, *values)
    @database.exec_params(query, values).getvalue(0, 0)
  end
end

$stdout.sync = true
factors = Factors.new
while (line = $stdin.gets)
  number, request, *arguments = line.split
  puts "#{number} #{factors.public_send(request, *arguments)}"
end
