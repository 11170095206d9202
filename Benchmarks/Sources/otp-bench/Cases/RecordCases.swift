import CPeers
import FactorRecord
import Keyring
import OTP

/// A record opened, verified over one step on either side, and sealed again.
enum RecordCases {
  static var all: [Case] { [row("accepted", isRight: true), row("rejected", isRight: false)] }

  private static func row(_ answer: String, isRight: Bool) -> Case {
    let row = "record, \(answer)"
    return Case(name: row) {
      let step = Fixtures.firstStep
      let time = Fixtures.time(ofStep: step)
      let secret = Fixtures.secret(for: .sha1)
      let right = try Fixtures.code(secret, .sha1, step).description
      let code = isRight ? right : Fixtures.guess

      let subject = Array("user 42".utf8)
      let keyring = try Keyring()
      let column = try FactorRecord.totp(secret: OTPSecret(bytes: secret), isPending: false, at: time)
        .sealed(by: keyring, for: subject)
      let engine = { () -> Bool? in
        guard var record = try? FactorRecord(sealed: column.span, by: keyring, for: subject),
          let answer = try? record.verify(code, at: time), let changed = try? record.sealed(by: keyring, for: subject)
        else { return nil }
        return changed != column && answer.isAccepted
      }
      try require(engine() == isRight, row, "swift-otp")
      var subjects = [Subject("swift-otp") { _ in consume(engine()) }]

      if LibOTP.isLoaded {
        let record = try LibOTP.Record(secret: secret, at: time)
        let text = LibOTP.Text(code)
        let kind = isRight ? OTP_ANSWER_ACCEPTED : OTP_ANSWER_REJECTED
        try require(record.verify(text, at: time) == kind, row, "libotp")
        subjects.append(Subject("libotp") { _ in consume(record.verify(text, at: time) == kind) })
      }

      let sealed = UnsafeMutablePointer<UInt8>.allocate(capacity: 145)
      unsafe peer_floor_make(sealed, secret)
      let number = UInt32(code) ?? .max
      let floor = { unsafe peer_floor_record(sealed, step, number) == 1 }
      try require(floor() == isRight && floor() == isRight, row, "floor")
      subjects.append(Subject("the floor in C") { _ in consume(floor()) })
      return subjects
    }
  }
}
