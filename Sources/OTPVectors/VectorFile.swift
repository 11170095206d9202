/// A file of test vectors in the format `otp-vectors/1`.
public struct VectorFile: Sendable {
  /// Where the vectors come from.
  public let source: String
}
