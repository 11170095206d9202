/// The exit status. The numbers from 64 are those of `sysexits.h`.
enum ExitStatus: Int32, Error {
  case success = 0
  /// A negative result: the code is not accepted, a vector fails, a document cannot be read.
  case negative = 1
  /// The command line, `OTP_BACKEND` or `OTP_STORE` is wrong.
  case usage = 64
  /// A URI, a base32 text or a file is wrong.
  case data = 65
  /// The machine failed: no randomness, no working HMAC.
  case software = 70
  /// Standard output cannot be written.
  case io = 74
}

/// The error that ends a command, as one line for standard error. It never repeats input that may be secret.
struct ToolError: Error {
  let status: ExitStatus
  let message: String

  static func usage(_ message: String) -> ToolError { ToolError(status: .usage, message: message) }
  static func data(_ message: String) -> ToolError { ToolError(status: .data, message: message) }
  /// A negative result that needs an explanation.
  static func negative(_ message: String) -> ToolError { ToolError(status: .negative, message: message) }
  static func software(_ message: String) -> ToolError { ToolError(status: .software, message: message) }

  /// Names the input that an error of the engine is about.
  ///
  /// - Parameters:
  ///   - source: The option or argument.
  ///   - status: Whether the command line or its data is wrong. A failure of the machine is neither.
  init(_ error: OTPError, in source: String? = nil, status: ExitStatus) {
    switch error.code {
    case .randomnessUnavailable, .backendUnavailable, .cryptographyFailed:
      self.status = .software
      message = error.description
    default:
      self.status = status
      message = source.map { "\($0): \(error)" } ?? error.description
    }
  }

  private init(status: ExitStatus, message: String) {
    self.status = status
    self.message = message
  }

  static let notUTF8 = ToolError(status: .data, message: "an argument is not UTF-8")
  static let outputFailed = ToolError(status: .io, message: "standard output cannot be written")
}

/// Calls the engine, and names the input that its errors are about. See ``ToolError/init(_:in:status:)``.
func calling<R>(
  for source: String? = nil, blaming status: ExitStatus, _ body: () throws(OTPError) -> R
) throws(ToolError) -> R {
  do throws(OTPError) { return try body() } catch { throw ToolError(error, in: source, status: status) }
}
