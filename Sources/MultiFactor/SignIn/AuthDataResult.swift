/// What a completed sign-in or enrolment gives: the user's handle.
///
/// Only this layer makes one, after all that it demands was proved.
public struct AuthDataResult: Sendable {
  /// The signed-in user.
  public let user: User
}
