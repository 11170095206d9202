import ArgumentParser
@_spi(Diagnostics) import OTP

/// `otp info`
struct Info: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "info", abstract: "Print versions, and the HMAC implementation in use.",
    discussion: """
      With --plans, also prints for each hash how long a call of each kernel takes here, and which are called for how \
      many codes at once: 'plan.SHA1.11=8+3' is a call for eight codes and one for three.

      EXAMPLE: OTP_BACKEND=evp otp info
      """)

  @Flag(help: "Print which kernels are used for how many codes, and their times, too.")
  var plans = false

  @OptionGroup var output: JSONOption

  func run() throws {
    var failure: ToolError?
    var backend: HMACBackend?
    do throws(ToolError) { backend = try OperatorBackend.resolve() } catch { failure = error }
    // So that the plans are measured.
    if plans { _ = try? OTPEngine.selfTest { _, _ in } }
    try EngineReport(backend: backend, withPlans: plans).print(asJSON: output.json)
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
  /// The plan for each hash, if asked for.
  let plans: [Plan]?

  struct Plan: Encodable {
    let algorithm: String
    let isMeasured: Bool
    /// The kernels' lanes and, if measured, nanoseconds.
    let kernels: [String]
    /// The lanes of each call, for 1 to 32 codes.
    let calls: [String]

    var lines: [String] {
      ["plan.\(algorithm)=\(isMeasured ? "measured" : "fixed") kernels=\(kernels.joined(separator: ","))"]
        + calls.enumerated().map { "plan.\(algorithm).\($0 + 1)=\($1)" }
    }

    init?(_ backend: HMACBackend?, _ algorithm: HashAlgorithm) {
      guard let plan = backend?.lanePlan(for: algorithm) else { return nil }
      self.algorithm = algorithm.name
      isMeasured = plan.isMeasured
      kernels = plan.kernels.map { kernel in
        "\(kernel.lanes)" + (kernel.nanoseconds.map { ":\(Int($0.rounded()))ns" } ?? "")
      }
      calls = plan.calls.map { calls in calls.map { "\(plan.kernels[$0].lanes)" }.joined(separator: "+") }
    }
  }

  init(backend: HMACBackend?, withPlans: Bool) {
    plans = withPlans ? HashAlgorithm.allCases.compactMap { Plan(backend, $0) } : nil
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
      + (plans ?? []).flatMap(\.lines)
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
