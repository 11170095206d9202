import MultiFactor

/// The refusal of a code, as printed. As for any client of MultiFactor, it does not say whether the code was wrong,
/// late or already used.
struct Refusal: Report {
  /// `rejected`; or, if the factor accepts no code for now, `spent` or `locked`.
  let result: String
  /// Until when; `nil` if that is until an administrator acts.
  let until: String?

  /// `nil` for errors that are not the refusal of a code.
  init?(_ error: AuthError) {
    switch error.code {
    case .invalidVerificationCode, .missingVerificationCode: result = "rejected"
    case .tooManyRequests: result = error.reason == .spent ? "spent" : "locked"
    default: return nil
    }
    until = error.retryAfter.map(Timestamp.future)
  }

  var lines: [String] { [result + (until.map { " until=\($0)" } ?? "")] }
}
