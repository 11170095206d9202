import FactorRecord
import OTP

@testable import MultiFactor

extension Factor {
  /// What a factor that is not a phone has in its record.
  var lastAccepted: UInt64? { record?.lastAccepted }
  var drift: Drift { record?.drift ?? Drift() }
}

extension Factor.Content {
  /// A confirmed factor that was never used.
  static func secret(_ secret: FactorSecret) -> Factor.Content {
    .record(FactorRecord(.secret(secret), isPending: false, enrollmentMilliseconds: 0))
  }
}
