extension MultiFactorConfiguration {
  /// Whether factors of a kind can be enrolled and used.
  func allows(_ kind: FactorRecord.Kind) -> Bool {
    switch kind {
    case .totp: totp != nil
    case .hotp: isEnabled && allowsHOTP
    case .phone: phone != nil
    }
  }

  /// How many intervals early or late a code by time may be.
  var adjacentIntervals: Int { totp?.adjacentIntervals ?? 0 }
}
