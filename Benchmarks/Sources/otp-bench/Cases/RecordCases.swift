import FactorRecord
import Keyring
import OTP

/// `record/verify/{totp,hotp}/{accepted,rejected}`: a record opened, verified over one step on either side, and sealed
/// again; and its three parts by themselves.
enum RecordCases {
  private static let subject = Array("user 42".utf8)

  static var all: [Case] {
    [FactorRecord.Kind.totp, .hotp].flatMap { kind in [true, false].map { row(kind, isRight: $0) } }
  }

  private static func row(_ kind: FactorRecord.Kind, isRight: Bool) -> Case {
    let row = "record/verify/\(kind == .totp ? "totp" : "hotp")/\(isRight ? "accepted" : "rejected")"
    return Case(name: row, unit: "verification") {
      let time = Fixtures.time(ofStep: Fixtures.firstStep)
      let secret = try OTPSecret(bytes: Fixtures.secret(for: .sha1))
      let policy = try FactorRecord.Policy(adjacentSteps: 1, lookAhead: 2)
      let keyring = try Keyring()
      let enrolled =
        try kind == .totp
        ? FactorRecord.totp(secret: secret, isPending: false, at: time)
        : FactorRecord.hotp(secret: secret, counter: Fixtures.firstStep, isPending: false, at: time)
      let column = try enrolled.sealed(by: keyring, for: subject)
      let right = try Fixtures.code(secret.unwipedBytes(), .sha1, Fixtures.firstStep).description
      let code = isRight ? right : Fixtures.guess

      let open = { try? FactorRecord(sealed: column.span, by: keyring, for: subject) }
      let opened = try FactorRecord(sealed: column.span, by: keyring, for: subject)
      let verify = { (record: inout FactorRecord) in (try? record.verify(code, at: time, under: policy))?.isAccepted }
      var used = opened
      try require(verify(&used) == isRight, row, "swift-otp")
      let changed = used
      try require(changed.sealed(by: keyring, for: subject) != column, row, "swift-otp")
      return [
        Subject("swift-otp") { _ in
          guard var record = open() else { return }
          consume(verify(&record) ?? false)
          consume(try? record.sealed(by: keyring, for: subject))
        },
        Subject("opening") { _ in consume(open()) },
        Subject("engine") { _ in
          var record = opened
          consume(verify(&record) ?? false)
        },
        Subject("sealing") { _ in consume(try? changed.sealed(by: keyring, for: subject)) },
      ]
    }
  }
}
