import ArgumentParser
import OTP

/// `otp info`
struct Info: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Print the versions, the CPU's features, and which HMAC implementation serves.",
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
  /// The widest instruction set that this CPU has and the engine has kernels for.
  let lanes = HMACBackend.InstructionSet.widest.name
  let cpuFeatures = OTPEngine.cpuFeatures.split(separator: ",").map(String.init)
  /// The backend that serves; `none` where `OTP_BACKEND` names none that works.
  let backend: String
  /// Who chose it.
  let backendChosenBy: String
  /// What each backend's known-answer test found.
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
