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
