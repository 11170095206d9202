# The adapters' protocol (../README.md), for adapters in Ruby: converts words to values, and exceptions to answers.
$stdout.sync = true

def bytes(word) = [word[1..]].pack("H*")
def text(word) = bytes(word).force_encoding("UTF-8")
def optional(word) = word == "-" ? nil : text(word)
def word(bytes) = "x" + bytes.unpack1("H*")
def said(found, step) = found ? "accepted #{step}" : "rejected"
def need(is_possible) = is_possible || throw(:cannot)

# Answers requests, one per line. `refusals` are the errors that the implementation documents for bad input.
def serve(operations, refusals)
  $stdin.each_line do |line|
    name, *words = line.split
    reply = "cannot"
    begin
      catch(:cannot) { reply = "ok #{operations[name].call(*words)}" if operations.key?(name) }
    rescue *refusals
      reply = "refused"
    rescue StandardError => e
      reply = "crashed #{e.class}"
    end
    puts reply
  end
end
