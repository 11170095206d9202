# rotp: Debian's ruby-rotp. Its drift is in seconds; `after` is a time.
require "rotp"
require "rotp/version"

# A request's words as values (../README.md), and values as words.
def bytes(word) = [word[1..]].pack("H*")
def text(word) = bytes(word).force_encoding("UTF-8")
def optional(word) = word == "-" ? nil : text(word)
def word(bytes) = "x" + bytes.unpack1("H*")
def said(found, step) = found ? "accepted #{step}" : "rejected"
def need(is_possible) = is_possible || throw(:cannot)

def secret(word) = ROTP::Base32.encode(bytes(word))

def totp(hash, digits, period, t0, key)
  need(t0 == "0")
  ROTP::TOTP.new(secret(key), digits: digits.to_i, digest: hash.downcase, interval: period.to_i)
end

def hotp(hash, digits, key) = ROTP::HOTP.new(secret(key), digits: digits.to_i, digest: hash.downcase)

OPERATIONS = {
  "hello" => -> { "rotp #{ROTP::VERSION}" },
  "hotp" => ->(hash, digits, key, counter) { hotp(hash, digits, key).at(counter.to_i) },
  "totp" => ->(*key, time) { totp(*key).at(time.to_i) },
  "base32" => ->(encoded) { word(ROTP::Base32.decode(text(encoded))) },
  "base32-code" => lambda { |hash, digits, counter, word|
    ROTP::HOTP.new(text(word), digits: digits.to_i, digest: hash.downcase).at(counter.to_i)
  },
  "verify-totp" => lambda { |hash, digits, period, t0, key, code, time, behind, ahead, after|
    seconds = period.to_i
    last = after == "-" ? nil : after.to_i * seconds
    found = totp(hash, digits, period, t0, key)
            .verify(text(code), drift_behind: behind.to_i * seconds, drift_ahead: ahead.to_i * seconds, after: last, at: time.to_i)
    said(found, found && found / seconds)
  },
  "verify-hotp" => lambda { |hash, digits, key, code, counter, look_ahead|
    found = hotp(hash, digits, key).verify(text(code), counter.to_i, retries: look_ahead.to_i)
    said(found, found)
  },
  "uri-build" => lambda { |type, issuer, account, key, hash, digits, number|
    need(type == "totp" || issuer == "-") # its HOTP has no issuer
    options = { digits: digits.to_i, digest: hash.downcase, issuer: optional(issuer) }
    uri = if type == "hotp" then ROTP::HOTP.new(secret(key), options).provisioning_uri(text(account), number.to_i)
          else ROTP::TOTP.new(secret(key), options.merge(interval: number.to_i)).provisioning_uri(text(account)) end
    word(uri)
  }
}.freeze

$stdout.sync = true
$stdin.each_line do |line|
  name, *words = line.split
  reply = "cannot"
  begin
    catch(:cannot) { reply = "ok #{OPERATIONS[name].call(*words)}" if OPERATIONS.key?(name) }
  rescue ROTP::Base32::Base32Error, ArgumentError
    reply = "refused"
  rescue StandardError => e
    reply = "crashed #{e.class}"
  end
  puts reply
end
