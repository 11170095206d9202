/// A command on a store of factors.
protocol StoreUsing: AsyncParsableCommand {
  /// How the result is printed.
  var output: JSONOption { get }

  /// Executes the command. An ``AuthError`` becomes a refusal or an error of the tool.
  func execute() async throws
}

extension StoreUsing {
  func run() async throws {
    do {
      try await execute()
    } catch let error as AuthError {
      guard let refusal = error.refusal else { throw ToolError(error) }
      try refusal.print(asJSON: output.json)
      throw ExitStatus.negative
    }
  }
}

extension ToolError {
  /// The error for an unknown account. It does not name the account: a secret may have been given in its place.
  static let unknownAccount = ToolError.data("the store has no such account; 'otp accounts' lists all")
}

extension MultiFactorAdmin {
  /// An account that the store has.
  func known(_ account: String) async throws -> AdministeredUser {
    let user = try await user(account)
    guard user.isKnown else { throw ToolError.unknownAccount }
    return user
  }
}
