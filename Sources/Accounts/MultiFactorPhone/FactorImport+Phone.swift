import Foundation
import MultiFactor
import MultiFactorOperations

extension FactorImport {
  /// A phone number that is known to be the user's.
  ///
  /// - Parameters:
  ///   - number: The number, in E.164 format.
  ///   - displayName: What the user calls it.
  ///   - uid: Its name; `nil` for a new one.
  ///   - enrollmentDate: When it was enrolled; `nil` for now.
  /// - Throws: `AuthError` with code `missingPhoneNumber` or `invalidPhoneNumber`.
  public static func phone(
    number: String, displayName: String? = nil, uid: String? = nil, enrollmentDate: Date? = nil
  ) throws(AuthError) -> FactorImport {
    try external(
      PhoneMultiFactorID, details: try PhoneNumber(number).details, displayName: displayName, uid: uid,
      enrollmentDate: enrollmentDate)
  }
}
