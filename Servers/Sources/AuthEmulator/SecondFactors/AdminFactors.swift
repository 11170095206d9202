import Foundation
import MultiFactor
import MultiFactorOperations
import MultiFactorPhone

// Second factors set by administrators: phones and existing TOTP factors, as the protocol allows.
extension Emulator {
  /// A phone factor in an administrator's request.
  struct PhoneFactor: Sendable {
    let uid: String
    let number: String
    let displayName: String?
    let enrolledAt: Date?
  }

  /// Reads a list of phone factors.
  ///
  /// - Parameter areNew: Whether they get new names, instead of those in the list.
  static func phoneFactors(_ list: [JSON], areNew: Bool) throws(APIError) -> [PhoneFactor] {
    var factors: [PhoneFactor] = []
    for entry in list where entry["totpInfo"] == nil {
      guard let number = entry["phoneInfo"]?.string, Directory.isPhoneNumber(number) else {
        throw APIError("INVALID_MFA_PHONE_NUMBER", "Invalid format.")
      }
      let uid = areNew ? nil : entry["mfaEnrollmentId"]?.string
      if let uid { try checkFactorName(uid) }
      factors.append(
        PhoneFactor(
          uid: uid ?? Random.name(28), number: number, displayName: entry["displayName"]?.string,
          enrolledAt: entry["enrolledAt"]?.string.flatMap(Date.init(rfc3339:))))
    }
    guard Set(factors.map(\.uid)).count == factors.count else { throw APIError("DUPLICATE_MFA_ENROLLMENT_ID") }
    guard Set(factors.map(\.number)).count == factors.count || areNew else {
      throw APIError("INVALID_MFA_PHONE_NUMBER", "Phone number is already enrolled.")
    }
    guard factors.count <= MultiFactorConfiguration.factorCountLimit else {
      throw APIError("SECOND_FACTOR_LIMIT_EXCEEDED")
    }
    // As in Google's emulator, duplicate numbers are merged.
    var numbers: Set<String> = []
    return factors.filter { numbers.insert($0.number).inserted }
  }

  private static func checkFactorName(_ uid: String) throws(APIError) {
    guard 1...128 ~= uid.utf8.count, uid.utf8.allSatisfy({ 0x21...0x7E ~= $0 }), uid != RecoveryCodeMultiFactorID
    else { throw APIError("INVALID_MFA_ENROLLMENT_ID", "Invalid mfaEnrollmentId.") }
  }

  func add(_ factor: PhoneFactor, to account: Account, _ call: Call) async throws {
    try await auth(for: call).admin.importFactor(
      .phone(
        number: factor.number, displayName: factor.displayName, uid: factor.uid, enrollmentDate: factor.enrolledAt),
      for: userID(account.localID, call))
  }

  /// Replaces the user's factors by a list: those not in the list are removed, and new or changed ones are added. A
  /// TOTP factor in the list stays as it is: without its secret, it could not be added.
  func replaceFactors(of account: Account, with list: [JSON], _ call: Call) async throws {
    let phones = try Self.phoneFactors(list, areNew: false)
    let admin = try await auth(for: call).admin
    let user = userID(account.localID, call)
    let old = try await admin.user(user).factors.map(\.info)
    var kept: Set<String> = []
    for entry in list where entry["totpInfo"] != nil {
      guard let uid = entry["mfaEnrollmentId"]?.string,
        old.contains(where: { $0.uid == uid && $0.factorID == TOTPMultiFactorID })
      else { throw APIError("INVALID_MFA_ENROLLMENT_ID", "TOTP factors are enrolled by their users.") }
      kept.insert(uid)
    }
    for phone in phones {
      let isThere = old.contains { info in
        info.uid == phone.uid && (info as? PhoneMultiFactorInfo)?.phoneNumber == phone.number
          && info.displayName == phone.displayName
      }
      if isThere { kept.insert(phone.uid) }
    }
    // In the order of their enrolment, so that the newest comes last, whose removal ends the sign-ins if others are
    // left.
    for info in old where !kept.contains(info.uid) { try await admin.removeFactor(info.uid, of: user) }
    for phone in phones where !kept.contains(phone.uid) { try await add(phone, to: account, call) }
    if !list.isEmpty {
      try withDirectory(of: call) { (directory) throws(APIError) in
        _ = try directory.change(account.localID) { $0.hadFactors = true }
      }
    }
  }
}
