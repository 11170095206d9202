import Foundation

/// The users of a project or tenant, and the codes that were sent to them.
struct Directory: Sendable {
  /// A code in an e-mail.
  struct OOBCode: Sendable {
    enum Purpose: String, Sendable, CaseIterable {
      case passwordReset = "PASSWORD_RESET"
      case emailSignIn = "EMAIL_SIGNIN"
      case verifyEmail = "VERIFY_EMAIL"
      case verifyAndChangeEmail = "VERIFY_AND_CHANGE_EMAIL"
      case recoverEmail = "RECOVER_EMAIL"

      /// Its name in links.
      var mode: String {
        switch self {
        case .passwordReset: "resetPassword"
        case .emailSignIn: "signIn"
        default: "\(self)"
        }
      }
    }

    let code: String
    let purpose: Purpose
    let email: String
    let newEmail: String?
    let link: String
    let createdAt: Date

    /// How long it is valid, in seconds.
    static let lifetime: TimeInterval = 3600
  }

  /// A code in a text message.
  struct VerificationCode: Sendable {
    let phoneNumber: String
    let sessionInfo: String
    let code: String
    let createdAt: Date
    /// Whether it is for a second factor: then `MultiFactor` checks it, and it is kept here only for display.
    let isSecondFactor: Bool

    /// How long it is valid, in seconds: as long as `MultiFactor`'s.
    private static let lifetime: TimeInterval = 300

    func isGood(at now: Date) -> Bool { abs(now.timeIntervalSince(createdAt)) < Self.lifetime }
  }

  private(set) var accounts: [String: Account] = [:]
  private var byEmail: [String: String] = [:]
  private var byPhone: [String: String] = [:]
  private(set) var oobCodes: [OOBCode] = []
  private(set) var verificationCodes: [VerificationCode] = []
  /// Numbers that were verified, but belong to an account other than the one they were verified for.
  var temporaryProofs: [String: String] = [:]

  /// How many codes of a kind are kept for display, the latest ones.
  private static let keptCodes = 10_000

  /// Whether there is nothing for a person to see.
  var isEmpty: Bool { accounts.isEmpty && oobCodes.isEmpty && verificationCodes.isEmpty }

  func account(_ localID: String) -> Account? { accounts[localID] }

  func account(email: String) -> Account? { byEmail[Self.canonical(email)].flatMap { accounts[$0] } }

  /// The account with an address at an identity provider.
  func account(providerEmail email: String) -> Account? {
    let email = Self.canonical(email)
    return accounts.values.first { $0.providers.contains { $0.email.map(Self.canonical) == email } }
  }

  func account(phone: String) -> Account? { byPhone[phone].flatMap { accounts[$0] } }

  func account(provider: String, rawID: String) -> Account? {
    switch provider {
    case "phone": account(phone: rawID)
    case "password": account(email: rawID)
    default: accounts.values.first { $0.providers.contains { $0.id == provider && $0.rawID == rawID } }
    }
  }

  /// Adds an account, or replaces the one with the same name.
  ///
  /// - Throws: ``APIError`` if another one has its address or number.
  mutating func put(_ account: Account) throws(APIError) {
    if let email = account.email, let other = byEmail[email], other != account.localID { throw .emailExists }
    if let phone = account.phoneNumber, let other = byPhone[phone], other != account.localID {
      throw APIError("PHONE_NUMBER_EXISTS")
    }
    forget(accounts[account.localID])
    accounts[account.localID] = account
    if let email = account.email { byEmail[email] = account.localID }
    if let phone = account.phoneNumber { byPhone[phone] = account.localID }
  }

  /// Changes an existing account.
  @discardableResult
  mutating func change(_ localID: String, _ change: (inout Account) -> Void) throws(APIError) -> Account {
    guard var account = accounts[localID] else { throw .userNotFound }
    change(&account)
    try put(account)
    return account
  }

  @discardableResult
  mutating func remove(_ localID: String) -> Account? {
    let account = accounts.removeValue(forKey: localID)
    forget(account)
    return account
  }

  mutating func removeAllAccounts() {
    accounts = [:]
    byEmail = [:]
    byPhone = [:]
  }

  private mutating func forget(_ account: Account?) {
    if let email = account?.email { byEmail[email] = nil }
    if let phone = account?.phoneNumber { byPhone[phone] = nil }
  }

  mutating func add(_ code: OOBCode) {
    oobCodes.append(code)
    if oobCodes.count > Self.keptCodes { oobCodes.removeFirst() }
  }

  /// A code that exists and has not expired.
  func oobCode(_ text: String, at now: Date) throws(APIError) -> OOBCode {
    guard let code = oobCodes.last(where: { $0.code == text }) else { throw APIError("INVALID_OOB_CODE") }
    guard abs(now.timeIntervalSince(code.createdAt)) <= OOBCode.lifetime else { throw APIError("EXPIRED_OOB_CODE") }
    return code
  }

  mutating func removeOOBCode(_ text: String) { oobCodes.removeAll { $0.code == text } }

  mutating func add(_ code: VerificationCode) {
    verificationCodes.append(code)
    if verificationCodes.count > Self.keptCodes { verificationCodes.removeFirst() }
  }

  func verificationCode(_ sessionInfo: String) -> VerificationCode? {
    verificationCodes.last { $0.sessionInfo == sessionInfo }
  }

  mutating func removeVerificationCode(_ sessionInfo: String) {
    verificationCodes.removeAll { $0.sessionInfo == sessionInfo }
  }
}

// Validation.
extension Directory {
  /// An address in the form in which it is stored and compared.
  static func canonical(_ email: String) -> String { email.lowercased() }

  static func isEmail(_ text: String) -> Bool {
    let parts = text.split(separator: "@", omittingEmptySubsequences: false)
    return parts.count == 2 && parts.allSatisfy { !$0.isEmpty } && text.utf8.count <= 256 && isLine(text)
  }

  /// E.164.
  static func isPhoneNumber(_ text: String) -> Bool {
    text.wholeMatch(of: /\+[1-9][0-9]{6,14}/.matchingSemantics(.unicodeScalar)) != nil
  }

  /// Whether a text can name a user.
  static func isLocalID(_ text: String) -> Bool { 1...128 ~= text.utf8.count && isLine(text) }

  private static func isLine(_ text: String) -> Bool {
    text.unicodeScalars.allSatisfy { scalar in
      switch scalar.properties.generalCategory {
      case .control, .lineSeparator, .paragraphSeparator: false
      default: !scalar.properties.isBidiControl
      }
    }
  }
}
