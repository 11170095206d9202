import ArgumentParser
import MultiFactor

/// Whose factors a command is about, and where they are kept.
struct AccountOptions: ParsableArguments {
  @Argument(help: "The account: 1 to 256 bytes, taken as they are.")
  var account: String

  @OptionGroup var store: StoreOptions

  /// Opens the store of factors that is there.
  func open() async throws -> MultiFactorAuth { try await store.location().open(creating: false) }

  /// Opens the store of factors, and creates it and its keyring if neither is there.
  func openOrCreate() async throws -> MultiFactorAuth { try await store.location().open(creating: true) }

  /// Signs in by the first factor, for which the person at this machine vouches: who can read the store and its keyring
  /// needs no password for either.
  ///
  /// - Returns: The user where the account has no second factor, else what asks for one.
  func signIn(on auth: MultiFactorAuth) async throws -> FirstFactorResult {
    let principal = Principal(id: account, email: account, isEmailVerified: true)
    do {
      return .signedIn(try await auth.signIn(principal, firstFactor: .password).user)
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
      The store: a file, whose path is UTF-8, or the URL of a PostgreSQL database (postgresql://role@host/database), \
      which other users of the machine can see: leave its password to PGPASSFILE. \(PathArgument.warningHelp) \
      (default: otp/factors.sqlite in $XDG_DATA_HOME or ~/.local/share)
      """, valueName: "path|url"),
    completion: .file())
  var store: PathArgument?

  @OptionGroup var keyring: KeyringOption

  var paths: [PathArgument] { [store, keyring.keyring].compactMap { $0 } }

  func location() throws(ToolError) -> StoreLocation { try StoreLocation(store, keyring: keyring.keyring) }
}

/// What opens the documents of a store.
struct KeyringOption: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      """
      The keyring that opens the store, whose path is UTF-8. (default: keyring.json beside the file, or, for a \
      database, in the default store's folder)
      """, valueName: "path"),
    completion: .file())
  var keyring: PathArgument?
}

/// What a first factor alone comes to.
enum FirstFactorResult {
  case signedIn(User)
  case secondFactorRequired(MultiFactorResolver)

  /// What asks for the second factor.
  ///
  /// - Throws: ``ToolError`` with status `data` where the account has none: nobody is authenticated by that.
  func resolver() throws(ToolError) -> MultiFactorResolver {
    guard case .secondFactorRequired(let resolver) = self else {
      throw .data("the account has no factor in this store")
    }
    return resolver
  }
}
