import Foundation
import MultiFactor

// The claims as JSON, with the names of an Identity Platform ID token. How the user signed in is under `firebase`, as
// there, and repeated at the top level, for hosts whose tokens have no such object.
extension UserClaims: Codable {
  enum CodingKeys: String, CodingKey {
    case subject = "sub"
    case email
    case isEmailVerified = "email_verified"
    case authenticationDate = "auth_time"
    case signInProvider = "sign_in_provider"
    case secondFactor = "sign_in_second_factor"
    case secondFactorIdentifier = "second_factor_identifier"
    case secondFactorDate = "second_factor_time"
    case nested = "firebase"
  }

  /// Writes the claims by their names in an ID token, times as whole Unix seconds.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(subject, forKey: .subject)
    try container.encodeIfPresent(email, forKey: .email)
    try container.encode(isEmailVerified, forKey: .isEmailVerified)
    try container.encode(authenticationDate.unixSeconds, forKey: .authenticationDate)
    try container.encodeIfPresent(secondFactorDate?.unixSeconds, forKey: .secondFactorDate)
    try encodeSignIn(to: &container)
    var nested = container.nestedContainer(keyedBy: CodingKeys.self, forKey: .nested)
    try encodeSignIn(to: &nested)
  }

  private func encodeSignIn(to container: inout KeyedEncodingContainer<CodingKeys>) throws {
    try container.encode(signInProvider, forKey: .signInProvider)
    try container.encodeIfPresent(secondFactor, forKey: .secondFactor)
    try container.encodeIfPresent(secondFactorIdentifier, forKey: .secondFactorIdentifier)
  }

  /// Reads what `encode(to:)` writes, and the claims of an ID token, which has the sign-in only under `firebase`.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    func date(_ seconds: Int64) -> Date { Date(timeIntervalSince1970: TimeInterval(seconds)) }
    // Read all of them from one place: a claim that is missing there must not be taken from the other.
    let signIn =
      container.contains(.nested)
      ? try container.nestedContainer(keyedBy: CodingKeys.self, forKey: .nested) : container
    self.init(
      subject: try container.decode(String.self, forKey: .subject),
      email: try container.decodeIfPresent(String.self, forKey: .email),
      isEmailVerified: try container.decodeIfPresent(Bool.self, forKey: .isEmailVerified) ?? false,
      authenticationDate: date(try container.decode(Int64.self, forKey: .authenticationDate)),
      signInProvider: try signIn.decode(String.self, forKey: .signInProvider),
      secondFactor: try signIn.decodeIfPresent(String.self, forKey: .secondFactor),
      secondFactorIdentifier: try signIn.decodeIfPresent(String.self, forKey: .secondFactorIdentifier),
      secondFactorDate: try container.decodeIfPresent(Int64.self, forKey: .secondFactorDate).map(date))
  }
}
