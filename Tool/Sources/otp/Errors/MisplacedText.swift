/// A URL or a connection string where something else is expected, recognized as what it is.
enum MisplacedText {
  case databaseURL, keyURI, anotherURL, connectionString

  /// `nil` for any other text.
  init?(_ text: String) {
    let scheme = text.prefix { $0 != ":" }.lowercased()
    let keys: Set = ["host", "hostaddr", "dbname", "user", "service", "port"]
    switch scheme {
    case "postgres" where scheme.count < text.count, "postgresql" where scheme.count < text.count: self = .databaseURL
    case "otpauth" where scheme.count < text.count, "otpauth-migration" where scheme.count < text.count:
      self = .keyURI
    case _ where text.contains("://"): self = .anotherURL
    case _ where text.firstIndex(of: "=").map({ keys.contains(String(text[..<$0])) }) == true:
      self = .connectionString
    default: return nil
    }
  }

  /// Checks what was given as an account. Any other URL can be one, such as a subject of OpenID Connect.
  static func check(account text: String) throws(ToolError) {
    guard let misplaced = MisplacedText(text), [.databaseURL, .keyURI].contains(misplaced) else { return }
    throw .usage("the account: \(misplaced.explanation)")
  }

  /// What it is, and where it belongs.
  var explanation: String {
    switch self {
    case .databaseURL: "this is the URL of a database; give it as --store postgresql://role@host/database"
    case .keyURI:
      "this is a key URI; give it to 'otp generate', 'otp verify' or 'otp uri parse', or import a file of it"
    case .anotherURL: "this is a URL; a store is a file or postgresql://role@host/database, and a keyring is a file"
    case .connectionString: "this is a connection string; write it as a URL, --store postgresql://role@host/database"
    }
  }
}
