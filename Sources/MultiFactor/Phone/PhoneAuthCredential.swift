/// A code that was sent to a phone, as the user typed it, and what it answers.
public struct PhoneAuthCredential: Sendable {
  let verificationID: String
  let verificationCode: String
}

extension PhoneAuthCredential: Redacted {}

/// Makes assertions of phone factors.
public enum PhoneMultiFactorGenerator {
  /// The claim that a code proves a phone: for enrolment or for sign-in, as the message was asked for.
  public static func assertion(with credential: PhoneAuthCredential) -> MultiFactorAssertion {
    MultiFactorAssertion(content: .phone(credential))
  }
}
