extension AuthError {
  /// The refusal of a code, as printed: `rejected`, or, if the factor accepts no code for now, `spent` or `locked`, and
  /// until when unless that is until an administrator acts. As for any client of MultiFactor, it does not say whether
  /// the code was wrong, late or already used. `nil` for other errors.
  var refusal: Line? {
    let word: String
    switch code {
    case .invalidVerificationCode, .missingVerificationCode: word = "rejected"
    case .tooManyRequests: word = reason == .spent ? "spent" : "locked"
    default: return nil
    }
    return Line(word, [Field("until", retryAfter.map { Timestamp.text(Timestamp.next($0)) })])
  }
}
