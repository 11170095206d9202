/// Where the secret comes from.
struct KeySourceOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      """
      The file with the secret: base32, or a key URI (otpauth:…). '-' is standard input. \(PathArgument.warningHelp)
      """, valueName: "path"),
    completion: .file())
  var secretFile: PathArgument?

  @Option(help: ArgumentHelp("The key URI. Other users of the machine can see it.", valueName: "uri"))
  var uri: String?

  @Option(help: ArgumentHelp("The secret. Other users of the machine can see it.", valueName: "base32"))
  var secret: String?

  /// Only a secret, or a whole URI.
  enum Source {
    case secret(OTPSecret)
    case uri(OTPAuthURI)
  }

  func read() throws(ToolError) -> Source {
    switch (secretFile, uri, secret) {
    case (let path?, nil, nil): return try KeySourceOptions.readFile(path)
    case (nil, let uri?, nil):
      return .uri(try calling(for: "--uri", blaming: .data) { () throws(OTPError) in try OTPAuthURI(uri) })
    case (nil, nil, let text?):
      return .secret(
        try calling(for: "--secret", blaming: .data) { () throws(OTPError) in try OTPSecret(base32: text) })
    default: throw .usage("exactly one of --secret-file, --uri and --secret is required")
    }
  }

  private static func readFile(_ path: PathArgument) throws(ToolError) -> Source {
    try BoundedInput.readSecret(path) { (bytes) throws(OTPError) in
      isURI(bytes) ? .uri(try OTPAuthURI(utf8: bytes.span)) : .secret(try OTPSecret(base32UTF8: bytes.span))
    }
  }

  private static func isURI(_ bytes: [UInt8]) -> Bool {
    String(decoding: bytes.prefix(8), as: UTF8.self).lowercased() == "otpauth:"
  }
}
