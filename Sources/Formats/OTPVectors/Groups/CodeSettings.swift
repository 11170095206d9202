import OTP

/// The settings of a group of codes of one secret, for all its tests.
struct CodeSettings: Sendable {
  let algorithm: HashAlgorithm
  let digits: OTPCode.Digits
  let secret: OTPSecret

  init(_ fields: inout Fields) throws(LocatedError) {
    algorithm = try fields.algorithm()
    digits = try fields.digits()
    secret = try fields.secret("secretHex")
  }

  func hotp(on backend: HMACBackend) throws(Mismatch) -> HOTP {
    try Mismatch.ifThrown { () throws(OTPError) in
      try HOTP(secret: secret, algorithm: algorithm, digits: digits, backend: backend)
    }
  }
}

/// The same for time-based codes.
struct TimedCodeSettings: Sendable {
  let codes: CodeSettings
  let period: Int64
  let t0: Int64

  init(_ fields: inout Fields) throws(LocatedError) {
    codes = try CodeSettings(&fields)
    period = try fields.period()
    t0 = try fields.decimal("t0")
  }

  func totp(on backend: HMACBackend) throws(Mismatch) -> TOTP {
    try Mismatch.ifThrown { () throws(OTPError) in
      try TOTP(
        secret: codes.secret, algorithm: codes.algorithm, digits: codes.digits, period: period, t0: t0,
        backend: backend)
    }
  }
}
