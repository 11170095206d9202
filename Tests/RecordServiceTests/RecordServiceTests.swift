import Foundation
import Keyring
import OTP
import RecordService
import Testing

@Suite struct RecordServiceTests {
  private static let secret = "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ"
  private let service: RecordService

  init() throws {
    let key = try Keyring.Key(name: "a", secret: .random(for: .sha256))
    service = RecordService(keyring: try Keyring(activeKey: key, hashKey: .random(for: .sha256)))
  }

  private func answer(to line: String) throws -> [String: Any] { try Self.read(service.answer(to: line)) }

  private static func read(_ line: String) throws -> [String: Any] {
    try #require(JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any], "\(line)")
  }

  /// What the service answers to lines on a pipe.
  private func answers(to lines: [String]) throws -> [[String: Any]] {
    let (input, output) = (Pipe(), Pipe())
    let text = lines.joined(separator: "\n") + "\n"
    Thread.detachNewThread {
      try? input.fileHandleForWriting.write(contentsOf: Data(text.utf8))
      try? input.fileHandleForWriting.close()
    }
    try service.serve(
      input: input.fileHandleForReading.fileDescriptor, output: output.fileHandleForWriting.fileDescriptor)
    try output.fileHandleForWriting.close()
    let answers = try output.fileHandleForReading.readToEnd() ?? Data()
    return try String(decoding: answers, as: UTF8.self).split(separator: "\n").map { try Self.read(String($0)) }
  }

  @Test(
    arguments: [
      (#"{"id":1,"op":"verify","subject":"user 42"}"#, "missing", "code"),
      (#"{"id":1,"op":"sign in","subject":"user 42"}"#, "invalidValue", "op"),
      (#"{"id":1,"op":"verify"}"#, "missing", "subject"),
      (#"{"id":1,"op":"verify","subject":42}"#, "invalidValue", "subject"),
      (#"{"op":"verify","subject":42,"id":1}"#, "invalidValue", "subject"),
      (#"{"id":1,"op":"enroll","subject":"u","policy":[]}"#, "invalidValue", "policy"),
      (#"{"id":1,"op":"info","subject":"u","record":"?"}"#, "invalidValue", "record"),
      (#"{"id":1,"op":"info","subject":"u","record":"0g","encoding":"hex"}"#, "invalidValue", "record"),
      (#"{"id":1,"op":"info","subject":"u","record":"AQEB"}"#, "notARecord", "record"),
      (#"{"id":1,"op":"info","subject":"","record":"AQEB"}"#, "invalidSubject", "subject"),
      (#"{"id":1,"op":"enroll","subject":"u","secret":"0"}"#, "invalidValue", "secret"),
      (#"{"id":1,"op":"enroll","subject":"u","confirmed":true}"#, "missing", "secret"),
      (#"{"id":1,"op":"enroll","subject":"u","counter":"18446744073709551616"}"#, "invalidValue", "counter"),
      (#"{"id":1,"op":"enroll","subject":"u","counter":1}"#, "invalidValue", "counter"),
      (#"{"id":1,"op":"enroll","subject":"u","kind":"hotp","lastStep":1}"#, "invalidValue", "lastStep"),
      (#"{"id":1,"op":"enroll","subject":"u","record":"AQEB"}"#, "notARecord", "record"),
      (#"{"id":1,"op":"recoveryCodes","subject":"u","previous":"AQEB"}"#, "notARecord", "previous"),
      (#"{"id":1,"op":"enroll","subject":"u","digits":9}"#, "invalidValue", "digits"),
      (#"{"id":1,"op":"enroll","subject":"u","time":1111111000000}"#, "invalidTime", "time"),
      (#"{"id":1,"op":"recoveryCodes","subject":"u","count":21}"#, "outOfRange", "count"),
      (#"{"id":1,"op":"enroll","subject":"u","policy":{"lookAhead":1001}}"#, "outOfRange", "policy"),
      (#"{"id":1,"op":"enroll","subject":"u","policy":{"lookAhead":"1"}}"#, "invalidValue", "policy.lookAhead"),
      (#"{"id":1,"op":"enroll","subject":"u","policy":{"lookahead":1}}"#, "unknownField", "policy"),
      (#"{"id":1,"op":"enroll","subject":"u","sceret":"x"}"#, "unknownField", nil),
      (#"{"id":1,"op":"recoveryCodes","subject":"u","subject":"v"}"#, "duplicateField", nil),
      (#"{"id":1,"op":"recoveryCodes","subject":"u","\u0069d":2}"#, "malformed", nil),
      (#"{"id":1,"op":"enroll","subject":"u","policy":{"lookAhead":1,"lookAhead":1}}"#, "duplicateField", nil),
      (#"{"id":1,"op":"enroll","subject":"u","digits":6.5}"#, "invalidValue", "digits"),
      (#"{"id":1,"op":"enroll","subject":"u","digits":6.0}"#, "invalidValue", "digits"),
      (#"{"id":1,"op":"enroll","subject":"u",}"#, "malformed", nil),
      (#"{"id":1,"op":"enroll","subject":"u""#, "malformed", nil),
      (#"{ "id" : 1 , "op" : "#, "malformed", nil),
      ("{\"id\":1,\"op\":\"\u{0}\"}", "malformed", nil),
    ]
      + ["06", "6.", ".5", "1e", "+1", "--1"].map {
        (#"{"id":1,"op":"enroll","subject":"u","digits":\#($0)}"#, "malformed", nil)
      } as [(String, String, String?)]
      + ["-9223372036854775809", "9223372036854775808", "18446744073709551616"].map {
        (#"{"id":1,"op":"info","subject":"u","time":\#($0)}"#, "invalidValue", "time")
      }
      + ["-9223372036854775808", "9223372036854775807"].map {
        (#"{"id":1,"op":"info","subject":"u","time":\#($0)}"#, "missing", "record")
      })
  func `an error has the request's id and the field's name`(line: String, error: String, field: String?) throws {
    let answer = try answer(to: line)
    #expect(answer["id"] as? Int == 1)
    #expect(answer["error"] as? String == error && answer["field"] as? String == field)
  }

  @Test(arguments: ["", "x", "[1]", "{}", #"{"id":{},"op":"info","subject":"u"}"#, "{\"a\":\"\\ud800\"}"])
  func `a line without an id gets an error without one`(line: String) throws {
    let answer = try answer(to: line)
    #expect(answer["error"] != nil && answer["id"] == nil)
  }

  @Test func `a line has at most 64 KiB, and at most 16 objects and arrays in each other`() throws {
    let start = #"{"id":"i","op":"info","subject":"u","record":""#
    func line(_ count: Int) -> String { start + String(repeating: "A", count: count - start.utf8.count - 2) + "\"}" }
    let nested = [15, 16].map { count in
      #"{"id":"i","op":"# + String(repeating: "[", count: count) + #""]""# + String(repeating: "]", count: count) + "}"
    }
    let endless = #"{"id":"i","op":"# + String(repeating: "[", count: 60_000)
    let answers = try answers(to: [line(65_536), line(65_537), line(1_000_000), endless] + nested)
    let errors = ["notARecord", "tooLong", "tooLong", "malformed", "invalidValue", "malformed"]
    #expect(answers.map { $0["error"] as? String } == errors)
    #expect(answers.allSatisfy { $0["id"] as? String == "i" })
    // A number that may go on is none.
    let number = #"{"op":"info","record":""# + String(repeating: "A", count: 65_536 - 30) + #"","id":1234567}"#
    #expect(try self.answers(to: [number]).map { $0["id"] as? Int } == [nil])
  }

  @Test func `an id is answered as it was given`() throws {
    let ids = ["0", "-2", "9007199254740993", #""""#, #""ä\n\"\u20ac""#]
    let answers = try ids.map { try answer(to: #"{"id":\#($0),"op":"recoveryCodes","subject":"u"}"#) }
    let numbers = answers.prefix(3).map { $0["id"] as? Int }
    #expect(numbers == [0, -2, 9_007_199_254_740_993])
    #expect(answers.suffix(2).map { $0["id"] as? String } == ["", "ä\n\"€"])
  }

  @Test(arguments: ["base64", "hex"])
  func `a factor's whole life`(encoding: String) throws {
    var record = ""
    func ask(_ op: String, _ fields: String) throws -> [String: Any] {
      // PostgreSQL breaks base64 into lines.
      let sent = encoding == "hex" ? record : record.prefix(76) + #"\r\n"# + record.dropFirst(76)
      let kept = record.isEmpty ? "" : #""record":"\#(sent)","#
      let line = #"{"op":"\#(op)","subject":"user 42",\#(kept)"encoding":"\#(encoding)",\#(fields)}"#
      let answer = try answer(to: line)
      record = answer["record"] as? String ?? record
      return answer
    }
    let names = #""issuer":"Example","account":"alice""#
    let new = try ask("enroll", #""secret":"\#(Self.secret)","time":1111111000,\#(names)"#)
    #expect(new["uri"] as? String == "otpauth://totp/Example:alice?secret=\(Self.secret)&issuer=Example")
    #expect(try ask("uri", names)["uri"] as? String == new["uri"] as? String)
    #expect(try ask("info", #""time":1111111000"#)["state"] as? String == "pending")
    let confirmed = try ask("confirm", #""code":"050471","time":1111111111"#)
    #expect(confirmed["answer"] as? String == "enrolled" && confirmed["movingFactor"] as? String == "37037037")
    let late = try ask("uri", names)
    #expect(late["error"] as? String == "notPending" && late["field"] as? String == "record")
    let replayed = try ask("verify", #""code":"050471","time":1111111112"#)
    #expect(replayed["answer"] as? String == "rejected" && replayed["reason"] as? String == "replayed")
    #expect(try ask("verify", #""code":"266759","time":1111111141"#)["answer"] as? String == "accepted")
    #expect(try ask("explain", #""code":"266759","time":1111111141"#)["cause"] as? String == "replayed")
    for _ in 1...4 { _ = try ask("verify", #""code":"000000","time":1111111142"#) }
    let waiting = try ask("verify", #""code":"000000","time":1111111142"#)
    #expect(waiting["answer"] as? String == "wait" && waiting["retryAt"] as? Int == 1_111_111_143)
    #expect(waiting["changed"] as? Bool == false)
    let info = try ask("info", #""time":1111111142"#)
    #expect(info["failures"] as? Int == 4 && info["state"] as? String == "waiting")
    let unlocked = try ask("unlock", #""time":1111111142"#)
    #expect(unlocked["changed"] as? Bool == true && unlocked["state"] as? String == "active")
    #expect(try ask("info", #""time":1111111142"#)["state"] as? String == "active")
    #expect(try ask("spend", #""until":1111111142,"time":1111111142"#)["changed"] as? Bool == true)
    #expect(try ask("info", #""time":1111111142"#)["state"] as? String == "spent")
    let locked = #""policy":{"failuresUntilLock":1,"lockSeconds":0},"time":1111112000"#
    #expect(try ask("verify", #""code":"000000",\#(locked)"#)["answer"] as? String == "rejected")
    #expect(try ask("verify", #""code":"000000",\#(locked)"#)["answer"] as? String == "locked")
    #expect(try ask("reseal", #""time":1111112000"#)["changed"] as? Bool == false)
    let refused = try ask("enroll", #""time":1111112000,\#(names)"#)
    #expect(refused["error"] as? String == "enrolled" && refused["field"] as? String == "record")
    #expect(try ask("recoveryCodes", #""replace":true,"time":1111112000"#)["error"] as? String == "enrolled")
    // A new enrollment keeps the count of the record that it replaces.
    _ = try ask("enroll", #""replace":true,"time":1111112000,\#(names)"#)
    #expect(try ask("enroll", #""time":1111112000,\#(names)"#)["uri"] != nil)
    #expect(try ask("info", #""time":1111112000"#)["failures"] as? Int == 1)
    #expect(try ask("spend", #""until":1111112000,"time":1111112000"#)["changed"] as? Bool == true)
    #expect(try ask("info", #""time":1111112000"#)["state"] as? String == "pending")
    record = ""
    let code = try #require((ask("recoveryCodes", #""count":2"#)["codes"] as? [String])?.last)
    #expect(try ask("verify", #""code":"\#(code)""#)["movingFactor"] as? String == "2")
    #expect(try ask("info", #""time":1111112000"#)["unusedCodes"] as? [Int] == [1])
  }
}
