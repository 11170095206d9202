import FactorRecord
import Foundation
import MultiFactor

/// Whether a factor's codes are accepted: `pending`, `active`, `waiting` or `locked`, and until when.
struct FactorState {
  let name: String
  /// When it ends by itself, if it does.
  var until: String?

  init(_ record: FactorRecord) throws(FactorRecordError) {
    let refusal = try record.refusal(at: Int64(Date().timeIntervalSince1970))
    self.init(refusal, otherwise: record.isPending ? "pending" : "active")
  }

  /// - Parameter refusal: Whether failures keep codes from being accepted.
  init(_ refusal: FactorRecord.Answer?, otherwise name: String = "active") {
    switch refusal {
    case .locked(let end): self.init("locked", end)
    case .wait(let end): self.init("waiting", end)
    default: self.init(name, nil)
    }
  }

  init(_ factor: AdministeredFactor) {
    name = factor.isLocked ? "locked" : factor.isBlocked ? "waiting" : "active"
    until = factor.retryAfter.map(Timestamp.future)
  }

  private init(_ name: String, _ end: Int64?) {
    self.name = name
    until = end.map { Timestamp.future(Date(timeIntervalSince1970: TimeInterval($0))) }
  }
}
