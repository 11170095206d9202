/// Whether a factor's codes are accepted: `pending`, `active`, `waiting`, `locked` or `spent`, and until when.
struct FactorState {
  let name: String
  /// When it ends by itself, if it does.
  var end: Int64?
  /// What ends it instead: `enrollment` if 100 attempts in a row have failed, for which unlocking does not help.
  var needs: String?

  var until: String? { end.map(Timestamp.text) }

  init(
    _ record: FactorRecord, at time: Int64, under policy: FactorRecord.Policy = .standard
  ) throws(FactorRecordError) {
    let (refusal, lossEnd) = try (record.refusal(at: time, under: policy), record.endOfLoss(at: time, under: policy))
    // The failures of the factor that a pending one replaces are no obstacle to its confirmation.
    if let refusal, !record.isPending {
      self.init(refusal)
    } else if let lossEnd {
      self.init(spentUntil: lossEnd)
    } else {
      self.init(record.isPending ? "pending" : "active", nil)
    }
    needs = Self.need(record.needsNewEnrollment)
  }

  /// All codes that the app shows until then may have been used.
  init(spentUntil end: Int64) { self.init("spent", end) }

  /// - Parameter refusal: That failures keep codes from being accepted.
  init(_ refusal: FactorRecord.Answer) {
    switch refusal {
    case .locked(let end): self.init("locked", end?.unixTime)
    case .wait(let end): self.init("waiting", end.unixTime)
    default: self.init("active", nil)
    }
  }

  static func need(_ newEnrollment: Bool) -> String? { newEnrollment ? "enrollment" : nil }

  private init(_ name: String, _ end: Int64?) { (self.name, self.end) = (name, end) }
}
