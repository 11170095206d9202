import FactorRecord

/// Whether a factor's codes are accepted: `pending`, `active`, `waiting`, `locked` or `spent`, and until when.
public struct FactorState: Sendable {
  /// The word.
  public let name: String
  /// When it ends by itself, if it does, in seconds since 1970; of `pending`, from when on a code can confirm it.
  public let end: Int64?
  /// What ends it instead: `enrollment` if 100 attempts in a row have failed, for which unlocking does not help.
  public let needs: String?

  /// A state by its word, with when it ends, and whether only a new enrollment ends it.
  public init(_ name: String, until end: Int64? = nil, needsNewEnrollment: Bool = false) {
    (self.name, self.end, needs) = (name, end, needsNewEnrollment ? "enrollment" : nil)
  }

  /// A record's state.
  public init(
    _ record: FactorRecord, at time: Int64, under policy: FactorRecord.Policy = .standard
  ) throws(FactorRecordError) {
    let (refusal, lossEnd) = try (record.refusal(at: time, under: policy), record.endOfLoss(at: time, under: policy))
    let needs = record.needsNewEnrollment
    // The failures of the factor that a pending one replaces are no obstacle to its confirmation.
    if let refusal, !record.isPending {
      self.init(refusal, needsNewEnrollment: needs)
    } else if let lossEnd {
      self.init(record.isPending ? "pending" : "spent", until: lossEnd, needsNewEnrollment: needs)
    } else {
      self.init(record.isPending ? "pending" : "active", needsNewEnrollment: needs)
    }
  }

  /// The state of a factor whose failures keep codes from being accepted.
  public init(_ refusal: FactorRecord.Answer, needsNewEnrollment: Bool = false) {
    let (name, end): (String, Int64?) =
      switch refusal {
      case .locked(let end): ("locked", end?.unixTime)
      case .wait(let end): ("waiting", end.unixTime)
      default: ("active", nil)
      }
    self.init(name, until: end, needsNewEnrollment: needsNewEnrollment)
  }
}
