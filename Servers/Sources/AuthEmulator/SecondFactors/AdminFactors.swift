import Foundation
import MultiFactor
import MultiFactorOperations
import MultiFactorPhone
import OTP

// Second factors set by administrators: phones, TOTP factors with their secrets, and existing ones without.
extension Emulator {
  /// A factor in an administrator's request.
  struct NewFactor: Sendable {
    let uid: String
    /// `nil` for a TOTP factor.
    let number: String?
    /// `nil` for a phone.
    let secret: OTPSecret?
    let displayName: String?
    let enrolledAt: Date?
  }

  /// Reads a list of factors. As in Google's emulator, a number counts once.
  ///
  /// - Parameter keepsNames: Whether factors have the names in the list; otherwise, and if one is missing, a new one.
  static func factors(_ list: [JSON], keepsNames: Bool = true) throws(APIError) -> [NewFactor] {
    var factors: [NewFactor] = []
    var numbers: Set<String> = []
    for entry in list {
      let secret = try secret(in: entry)
      let number = secret == nil ? entry["phoneInfo"]?.string : nil
      guard secret != nil || number.map(Directory.isPhoneNumber) ?? false else {
        throw APIError("INVALID_MFA_PHONE_NUMBER", "Invalid format.")
      }
      if let number, !numbers.insert(number).inserted { continue }
      let uid = keepsNames ? entry["mfaEnrollmentId"]?.string : nil
      if let uid { try checkFactorName(uid) }
      factors.append(
        NewFactor(
          uid: uid ?? Random.name(28), number: number, secret: secret, displayName: entry["displayName"]?.string,
          enrolledAt: entry["enrolledAt"]?.string.flatMap(Date.init(rfc3339:))))
    }
    guard Set(factors.map(\.uid)).count == factors.count else { throw APIError("DUPLICATE_MFA_ENROLLMENT_ID") }
    guard factors.count <= MultiFactorConfiguration.factorCountLimit else {
      throw APIError("SECOND_FACTOR_LIMIT_EXCEEDED")
    }
    return factors
  }

  /// The secret of a TOTP factor, under the name that Google's emulator gives it.
  private static func secret(in entry: JSON) throws(APIError) -> OTPSecret? {
    guard let text = entry["emulatorTotpSecret"]?.string else { return nil }
    guard let secret = try? OTPSecret(base32: text), secret.byteCount <= 1024 else {
      throw .invalid("Invalid value at 'emulatorTotpSecret'.")
    }
    return secret
  }

  /// Whether a factor is a TOTP factor without its secret.
  static func lacksSecret(_ entry: JSON) -> Bool {
    entry["totpInfo"] != nil && entry["emulatorTotpSecret"]?.string == nil
  }

  private static func checkFactorName(_ uid: String) throws(APIError) {
    guard 1...128 ~= uid.utf8.count, uid.utf8.allSatisfy({ 0x21...0x7E ~= $0 }), uid != RecoveryCodeMultiFactorID
    else { throw APIError("INVALID_MFA_ENROLLMENT_ID", "Invalid mfaEnrollmentId.") }
  }

  func add(_ factor: NewFactor, to account: Account, _ call: Call) async throws {
    let imported: FactorImport
    let date = factor.enrolledAt?.forSecondFactors
    if let secret = factor.secret {
      imported = try .totp(
        secret: secret, t0: Clock.lead, displayName: factor.displayName, uid: factor.uid, enrollmentDate: date)
    } else {
      imported = try .phone(
        number: factor.number ?? "", displayName: factor.displayName, uid: factor.uid, enrollmentDate: date)
    }
    try await auth(for: call).admin.importFactor(imported, for: userID(account.localID, call))
  }

  /// Replaces the user's factors with a list: those not in the list are removed, and new or changed ones are added. A
  /// TOTP factor in the list stays as it is: without its secret, it could not be added.
  func replaceFactors(of account: Account, with list: [JSON], _ call: Call) async throws {
    let factors = try Self.factors(list.filter { !Self.lacksSecret($0) })
    let admin = try await auth(for: call).admin
    let user = userID(account.localID, call)
    let old = try await admin.user(user).factors.map(\.info)
    var kept: Set<String> = []
    for entry in list where Self.lacksSecret(entry) {
      guard let uid = entry["mfaEnrollmentId"]?.string,
        old.contains(where: { $0.uid == uid && $0.factorID == TOTPMultiFactorID })
      else { throw APIError("INVALID_MFA_ENROLLMENT_ID", "TOTP factors are enrolled by their users.") }
      kept.insert(uid)
    }
    for factor in factors {
      // The secret of a TOTP factor does not change.
      let isThere = old.contains { info in
        info.uid == factor.uid && (info as? PhoneMultiFactorInfo)?.phoneNumber == factor.number
          && info.displayName == factor.displayName
      }
      if isThere { kept.insert(factor.uid) }
    }
    // In the order of their enrollment, so that the newest comes last, whose removal ends the sign-ins if others are
    // left.
    for info in old where !kept.contains(info.uid) { try await admin.removeFactor(info.uid, of: user) }
    for factor in factors where !kept.contains(factor.uid) { try await add(factor, to: account, call) }
    if !list.isEmpty {
      try withDirectory(of: call) { (directory) throws(APIError) in
        _ = try directory.change(account.localID) { $0.hadFactors = true }
      }
    }
  }
}
