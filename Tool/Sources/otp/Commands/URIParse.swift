import ArgumentParser
import OTP

/// `otp uri parse`
struct URIParse: EngineCommand {
  static let configuration = CommandConfiguration(
    commandName: "parse",
    abstract: "Print a key URI's fields, one name=value per line.",
    discussion: """
      The secret is omitted unless requested. In values, control and format characters are written as \
      \\u{hexadecimal} and a backslash as \\\\, so that no value can forge another line.

      EXAMPLE: otp uri parse - < uri.txt
      """)

  @Argument(help: "The URI, which other users of the machine can see; or '-' for standard input.")
  var uri: String

  @Flag(help: "Print the secret too.")
  var showSecret = false

  @Flag(help: "Read '+' in a parameter as a space.")
  var plusIsSpace = false

  @Flag(help: "Accept an hotp URI without a counter, starting at 0.")
  var missingCounterIsZero = false

  @Flag(help: "Read the secret strictly by RFC 4648.")
  var strictBase32 = false

  @OptionGroup var output: JSONOption

  func execute() throws {
    let bytes = uri == "-" ? try BoundedInput.readStandardInput() : Array(uri.utf8)
    let uri = try calling(for: "the URI", blaming: .data) { () throws(OTPError) in
      try OTPAuthURI(utf8: bytes.span, options: parsingOptions)
    }
    try ParsedURI(uri, showsSecret: showSecret).print(asJSON: output.json)
  }

  private var parsingOptions: OTPAuthURI.ParsingOptions {
    var options: OTPAuthURI.ParsingOptions = []
    if plusIsSpace { options.insert(.plusIsSpace) }
    if missingCounterIsZero { options.insert(.missingCounterIsZero) }
    if strictBase32 { options.insert(.strictBase32) }
    return options
  }
}

/// What `otp uri parse` prints.
private struct ParsedURI: Report {
  struct Parameter: Encodable {
    let name: String
    let value: String?
  }

  let type: String
  let issuer: String?
  let labelIssuer: String?
  let account: String
  let secret: String?
  let algorithm: String
  let digits: Int
  let period: Int64?
  let counter: String?
  let parameters: [Parameter]

  init(_ uri: OTPAuthURI, showsSecret: Bool) {
    type = CodeType(uri.kind).rawValue
    issuer = uri.issuer
    // Byte by byte, because canonically equivalent texts differ.
    labelIssuer = uri.labelIssuer.flatMap { label in
      label.utf8.elementsEqual((uri.issuer ?? "").utf8) ? nil : label
    }
    account = uri.account
    secret = showsSecret ? uri.secret.base32String() : nil
    algorithm = uri.algorithm.name
    digits = uri.digits.rawValue
    parameters = uri.additionalParameters.map { Parameter(name: $0.name, value: $0.value) }
    switch uri.kind {
    case .totp(let seconds):
      period = seconds
      counter = nil
    case .hotp(let number):
      period = nil
      counter = String(number)
    }
  }

  var lines: [String] {
    let fields: [(name: String, value: String?)] = [
      ("type", type), ("issuer", issuer), ("labelIssuer", labelIssuer), ("account", account), ("secret", secret),
      ("algorithm", algorithm), ("digits", String(digits)), ("period", period.map { String($0) }), ("counter", counter),
    ]
    return fields.compactMap { field in field.value.map { "\(field.name)=\(DisplayText.escaped($0))" } }
      + parameters.map { parameter in
        // A `=` in a name must not be mistaken for the one after it.
        let name = DisplayText.escaped(parameter.name, reserved: ["="])
        return "parameter.\(name)=\(DisplayText.escaped(parameter.value ?? ""))"
      }
  }
}
