/// A part of the library that takes untrusted bytes, with the rules that must hold for any bytes.
public enum FuzzTarget: String, CaseIterable, Sendable {
  /// `Base32` and `OTPSecret(base32:)`.
  case base32
  /// `OTPAuthURI`.
  case uri
  /// `SubmittedCode`, and verifying it.
  case submittedCode = "submitted-code"
  /// `VectorFile`.
  case vectorFile = "vector-file"
  /// `MultiFactorConfiguration`.
  case configuration
  /// The tokens of `MultiFactor`, and their payloads.
  case token
  /// The readers of `OTPSeeds`, and its writer.
  case seeds

  /// Runs the target on an input.
  ///
  /// - Throws: ``Violation`` if a rule is broken.
  public func run(_ input: Span<UInt8>) throws(Violation) {
    switch self {
    case .base32: try checkBase32(input)
    case .uri: try checkURI(input)
    case .submittedCode: try checkSubmittedCode(input)
    case .vectorFile: try checkVectorFile(input)
    case .configuration: try checkConfiguration(input)
    case .token: try checkToken(input)
    case .seeds: try checkSeeds(input)
    }
  }
}

/// A broken rule.
public struct Violation: Error {
  /// The rule that was broken.
  public let rule: String
}

/// Throws if `isTrue` is false.
func require(_ isTrue: Bool, _ rule: @autoclosure () -> String) throws(Violation) {
  guard isTrue else { throw Violation(rule: rule()) }
}
