import ArgumentParser
import Foundation
import MultiFactor

/// `otp factors`
struct Factors: FactorCommand {
  static let configuration = CommandConfiguration(
    abstract: "List an account's second factors, one per line.",
    discussion: """
      Each line is 'uid=… type=… enrolled=TIME failures=N locked=no|TIME|yes', followed by 'name=…' if the factor has \
      a name: how many consecutive attempts failed, and until when the next one must wait, 'yes' if indefinitely. An \
      account without factors has no lines. No secret is shown.

      EXAMPLE: otp factors alice@example.com
      """)

  @OptionGroup var account: AccountOptions
  @OptionGroup var output: JSONOption

  func execute() async throws {
    let factors = try await account.open().admin.user(account.account).factors
    try FactorList(factors: factors.map(FactorList.Factor.init)).print(asJSON: output.json)
  }
}

/// What `otp factors` prints.
private struct FactorList: Report {
  struct Factor: Encodable {
    let uid: String
    let type: String
    let name: String?
    let enrolled: String
    let failures: Int
    let locked: Bool
    let lockedUntil: String?

    init(_ factor: AdministeredFactor) {
      uid = factor.info.uid
      type = factor.info.factorID
      name = factor.info.displayName
      enrolled = Timestamp.past(factor.info.enrollmentDate)
      failures = factor.consecutiveFailures
      locked = factor.isBlocked
      lockedUntil = factor.retryAfter.map(Timestamp.future)
    }

    var line: String {
      let lock = locked ? lockedUntil ?? "yes" : "no"
      let name = name.map { " name=\(DisplayText.escaped($0))" } ?? ""
      return "uid=\(uid) type=\(type) enrolled=\(enrolled) failures=\(failures) locked=\(lock)\(name)"
    }
  }

  let factors: [Factor]

  var lines: [String] { factors.map(\.line) }
}
