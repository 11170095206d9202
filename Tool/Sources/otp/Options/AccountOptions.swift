/// The account whose factors a command is about, and where they are kept.
struct AccountOptions: ParsableArguments {
  @Argument(help: "The account: 1 to 256 bytes, used as they are.")
  var account: String

  @OptionGroup var store: StoreOptions

  /// Opens the store of factors.
  func open() async throws -> MultiFactorAuth {
    try MisplacedText.check(account: account)
    return try await store.location().open()
  }

  /// Signs in with the first factor, for which the user of this machine vouches: anyone who can read the store and its
  /// keyring needs no password.
  ///
  /// - Returns: The user if the account has no second factor, otherwise a resolver.
  func signIn(on auth: MultiFactorAuth) async throws -> FirstFactorResult {
    let isKnown = try await auth.admin.user(account).isKnown
    let principal = Principal(id: account, email: account, isEmailVerified: true)
    do {
      return .signedIn(try await auth.signIn(principal, firstFactor: .password).user, isKnown: isKnown)
    } catch let error as AuthError {
      guard error.code == .secondFactorRequired, let resolver = error.resolver else { throw error }
      return .secondFactorRequired(resolver)
    }
  }
}

/// Where factors are kept.
struct StoreOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      """
      The store: a file, or the URL of a PostgreSQL database (postgresql://role@host/database), \
      which other users of the machine can see: leave its password to PGPASSFILE. \(PathArgument.warningHelp) \
      (default: $OTP_STORE, or otp/factors.sqlite in $XDG_DATA_HOME or ~/.local/share)
      """, valueName: "path|url"),
    completion: .file())
  var store: PathArgument?

  @OptionGroup var keyring: KeyringOption

  /// Whether none of these options is given.
  var isEmpty: Bool { store == nil && keyring.keyring == nil }

  func location() throws(ToolError) -> StoreLocation {
    guard store == nil, let variable = unsafe getenv(StoreLocation.variable), unsafe variable.pointee != 0 else {
      return try StoreLocation(store, keyring: keyring.keyring)
    }
    guard let path = unsafe String(validatingCString: variable) else {
      throw .data("\(StoreLocation.variable): the path is not UTF-8")
    }
    return try StoreLocation(PathArgument(argument: path), from: StoreLocation.variable, keyring: keyring.keyring)
  }
}

/// The keyring that opens a store's documents.
struct KeyringOption: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      """
      The keyring that opens the store. (default: keyring.json beside the file, or, for a \
      database, in the default store's folder)
      """, valueName: "path"),
    completion: .file())
  var keyring: PathArgument?
}

/// The result of signing in with only the first factor.
enum FirstFactorResult {
  case signedIn(User, isKnown: Bool)
  case secondFactorRequired(MultiFactorResolver)

  /// The resolver for the second factor.
  ///
  /// - Throws: ``ToolError`` with status `data` if the account has none: that does not authenticate anyone.
  func resolver() throws(ToolError) -> MultiFactorResolver {
    switch self {
    case .secondFactorRequired(let resolver): return resolver
    case .signedIn(_, isKnown: true): throw .data("the account has no factor in this store")
    case .signedIn(_, isKnown: false): throw .unknownAccount
    }
  }
}
