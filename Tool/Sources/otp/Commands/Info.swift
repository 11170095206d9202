import ArgumentParser
import OTP

/// `otp info`
struct Info: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Print versions, CPU features, and the HMAC implementation in use.",
    discussion: "EXAMPLE: OTP_BACKEND=evp otp info")

  @OptionGroup var output: JSONOption

  func run() throws {
    var failure: ToolError?
    var backend: HMACBackend?
    do throws(ToolError) { backend = try OperatorBackend.resolve() } catch { failure = error }
    try EngineReport(backend: backend).print(asJSON: output.json)
    if let failure { throw failure }
  }
}

/// What `otp info` prints.
private struct EngineReport: Report {
  let version = OTPEngine.version
  let openssl = OTPEngine.openSSLVersion
  /// The widest instruction set of this CPU that the engine has kernels for.
  let lanes = HMACBackend.InstructionSet.widest.name
  let cpuFeatures = OTPEngine.cpuFeatures.split(separator: ",").map(String.init)
  /// The backend in use; `none` if `OTP_BACKEND` does not name one that works.
  let backend: String
  /// What chose it.
  let backendChosenBy: String
  /// The result of each backend's known-answer test.
  let knownAnswers: [String: String]

  init(backend: HMACBackend?) {
    self.backend = backend?.name ?? "none"
    backendChosenBy =
      switch (OperatorBackend.isSet, backend) {
      case (false, _): "engine"
      case (true, .some): "OTP_BACKEND"
      case (true, nil): "OTP_BACKEND (invalid)"
      }
    knownAnswers = Dictionary(uniqueKeysWithValues: HMACBackend.allCases.map { ($0.name, $0.knownAnswerResult.name) })
  }

  var lines: [String] {
    [
      "version=\(version)", "openssl=\(openssl)", "cpuFeatures=\(cpuFeatures.joined(separator: ","))",
      "lanes=\(lanes)", "backend=\(backend)", "backendChosenBy=\(backendChosenBy)",
    ] + HMACBackend.allCases.map { "knownAnswer.\($0.name)=\($0.knownAnswerResult.name)" }
  }
}

extension KnownAnswerResult {
  fileprivate var name: String {
    switch self {
    case .passed: "passed"
    case .failed: "failed"
    case .absent: "absent"
    }
  }
}
