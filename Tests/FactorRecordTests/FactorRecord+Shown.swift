import OTP
import Testing

@testable import FactorRecord

extension FactorRecord: CustomTestStringConvertible {
  /// What a failed comparison shows of a record, whose description is redacted. If all of this is equal, the secrets
  /// differ.
  public var testDescription: String {
    let fields: KeyValuePairs<String, Any?> = [
      "algorithm": algorithm, "digits": digits?.rawValue, "period": timeStep?.period, "t0": timeStep?.t0,
      "codes": unusedRecoveryCodes, "isPending": isPending, "enrollmentMilliseconds": enrollmentMilliseconds,
      "lastAccepted": lastAccepted, "hasAccepted": hasAccepted, "drift.found": drift.found,
      "drift.learned": drift.learned, "failures": attempts.failures, "acceptances": attempts.acceptances,
      "latest": attempts.latest, "lossTime": lossTime,
    ]
    return fields.reduce("\(kind)") { $0 + " \($1.key)=\($1.value ?? "none")" }
  }
}

@Test func `a failed comparison shows every field of a record but its secret`() throws {
  func record(_ byte: UInt8) throws -> FactorRecord {
    try .totp(secret: OTPSecret(bytes: [UInt8](repeating: byte, count: 20)), isPending: false, at: 1_700_000_000)
  }
  let shown = try record(1).testDescription
  #expect(try record(2).testDescription == shown)
  let changes: [(inout FactorRecord) -> Void] = [
    { $0.isPending = true }, { $0.enrollmentMilliseconds += 1 }, { $0.lastAccepted = 0 }, { $0.hasAccepted = true },
    { $0.drift.found = 1 }, { $0.drift.learned = 1 }, { $0.attempts.failures = 1 }, { $0.attempts.acceptances = 1 },
    { $0.attempts.latest = 0 }, { $0.lossTime = 0 }, { $0.content = .recoveryCodes([]) },
  ]
  for change in changes {
    var changed = try record(1)
    change(&changed)
    #expect(changed.testDescription != shown)
  }
}
