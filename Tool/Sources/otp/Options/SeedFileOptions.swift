/// The options for reading another system's file of keys, other than its format.
struct SeedFileOptions: ParsableArguments {
  /// The formats of files.
  enum Format: String, CaseIterable {
    case pskc, csv, entra, yubico, migration, uris
    case usersOATH = "users-oath"
  }

  /// The help for the file and its format.
  static let fileHelp: ArgumentHelp =
    "The file with the keys: a regular file, since it is read twice. \(PathArgument.warningHelp)"
  static let formatHelp = ArgumentHelp(
    "The format of the file: \(Format.allCases.map(\.rawValue).joined(separator: ", ")).", valueName: "format")

  @Option(
    help: ArgumentHelp("pskc: the file with the pre-shared key, in hexadecimal.", valueName: "path"),
    completion: .file())
  var keyFile: PathArgument?

  @Option(help: ArgumentHelp("pskc: the file with the password.", valueName: "path"), completion: .file())
  var passwordFile: PathArgument?

  @Option(
    parsing: .unconditionalSingleValue,
    help: ArgumentHelp(
      """
      csv: what a column holds, by its name in the first row; once for each column. FIELD is one of \
      \(SeedColumns.Field.allCases.map(\.rawValue).joined(separator: ", ")); secret is needed. Without this option, \
      these are the columns' names, and the secrets are in base32: docs/moving-in.md in the sources describes them.
      """, valueName: "FIELD=name"), transform: column)
  var column: [(field: SeedColumns.Field, name: String)] = []

  @Option(
    help: ArgumentHelp("csv, with --column: how the secrets are written; needed.", valueName: "hex|base32|base64"),
    completion: .list(SecretEncoding.allCases.map(\.rawValue)), transform: OptionValue.word(of: SecretEncoding.self))
  var encoding: SecretEncoding?

  @OptionGroup(title: "What a table does not say") var key: KeyOptions

  /// Whether none of these options is given.
  var isEmpty: Bool {
    let isOther = key.type != nil || key.hash.algorithm != nil || key.period != nil || key.digits != nil
    return keyFile == nil && passwordFile == nil && column.isEmpty && encoding == nil && !isOther
  }

  /// The format with its parameters, for `SeedReader`.
  func seedFormat(_ format: Format) throws(ToolError) -> SeedFormat {
    let isPSKC = format == .pskc
    guard isPSKC || (keyFile == nil && passwordFile == nil) else {
      throw .usage("--key-file and --password-file are for --format pskc")
    }
    guard format == .csv || (column.isEmpty && encoding == nil) else {
      throw .usage("--column and --encoding are for --format csv")
    }
    let isOther = key.type != nil || key.hash.algorithm != nil || key.period != nil
    guard format == .csv || (!isOther && (key.digits == nil || format == .yubico)) else {
      throw .usage("the file says itself what --type, --algorithm, --digits and --period are for")
    }
    switch format {
    case .pskc: return .pskc(try Self.key(keyFile, passwordFile))
    case .csv: return .csv(try columns())
    case .entra: return .csv(.entra)
    case .yubico:
      guard let digits = key.digits else { throw .usage("--digits is needed: Yubico's format does not say them") }
      return .yubico(digits: digits)
    case .migration: return .migration
    case .uris: return .uris
    case .usersOATH: return .usersOATH
    }
  }

  private func columns() throws(ToolError) -> SeedColumns {
    if isEmpty { return .complete }
    guard let encoding else { throw .usage("--encoding is needed: it is not guessed") }
    var names: [SeedColumns.Field: String] = [:]
    for (field, name) in column where names.updateValue(name, forKey: field) != nil {
      throw .usage("--column: \(field.rawValue) is named twice")
    }
    let isHOTP = key.type == .hotp
    guard !isHOTP || key.period == nil else { throw .usage("--period is for codes by time") }
    do throws(SeedRefusal) {
      return try SeedColumns(
        names, encoding: encoding, kind: isHOTP ? .hotp(counter: 0) : .totp(period: key.period ?? 30),
        algorithm: key.hash.algorithm ?? .sha1, digits: key.digits ?? .six)
    } catch {
      throw .usage("--column: secret is needed, period is of codes by time and counter of codes by counter")
    }
  }

  /// The key or password from the given files; `nil` if none is given.
  static func key(_ keyFile: PathArgument?, _ passwordFile: PathArgument?) throws(ToolError) -> PSKCKey? {
    switch (keyFile, passwordFile) {
    case (nil, nil): return nil
    case (let path?, nil):
      let key = try BoundedInput.readSecret(path, for: "--key-file") { (bytes) throws(OTPError) in
        // A byte's `hexDigitValue` is that of an ASCII digit, and a sign has none.
        let digits = bytes.compactMap { Character(Unicode.Scalar($0)).hexDigitValue }
        let isHex = digits.count == bytes.count && bytes.count.isMultiple(of: 2)
        let key = stride(from: 0, to: isHex ? digits.count : 0, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) }
        return try OTPSecret(bytes: key)
      }
      return .preShared(key)
    case (nil, let path?):
      return .password(
        try BoundedInput.readSecret(path, for: "--password-file") { (bytes) throws(OTPError) in
          try OTPSecret(bytes: bytes)
        })
    case (_?, _?): throw .usage("--key-file and --password-file exclude each other")
    }
  }

  @Sendable private static func column(_ text: String) throws -> (field: SeedColumns.Field, name: String) {
    let parts = text.split(separator: "=", maxSplits: 1)
    guard parts.count == 2, let field = SeedColumns.Field(rawValue: String(parts[0])) else {
      throw OptionValue.Invalid(description: "must be a field, '=' and a column's name")
    }
    return (field, String(parts[1]))
  }
}
