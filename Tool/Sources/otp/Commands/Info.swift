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
    try report(backend).print(asJSON: output.json)
    if let failure { throw failure }
  }

  private func report(_ backend: HMACBackend?) -> Report {
    let features = OTPEngine.cpuFeatures.split(separator: ",").map(String.init)
    let chooser =
      switch (OperatorBackend.isSet, backend) {
      case (false, _): "engine"
      case (true, .some): "OTP_BACKEND"
      case (true, nil): "OTP_BACKEND (invalid)"
      }
    let fields = [
      Field("version", OTPEngine.version), Field("openssl", OTPEngine.openSSLVersion),
      Field("cpuFeatures", features, text: features.joined(separator: ",")),
      // The widest instruction set of this CPU that the engine has kernels for.
      Field("lanes", HMACBackend.InstructionSet.widest.name),
      // `none` if `OTP_BACKEND` does not name one that works.
      Field("backend", backend?.name ?? "none"), Field("backendChosenBy", chooser),
    ]
    let answers = HMACBackend.allCases.map { Field($0.name, "\($0.knownAnswerResult)") }
    let plans = plans ? HashAlgorithm.allCases.compactMap { Plan(backend, $0) } : nil
    return Report(
      fields: fields + [
        Field("knownAnswers", Line(answers), text: nil), Field("plans", plans?.map { $0.line }, text: nil),
      ],
      lines: fields.map { "\($0.name)=\($0.text ?? "")" }
        + answers.map { "knownAnswer.\($0.name)=\($0.text ?? "")" }
        + (plans ?? []).flatMap(\.lines))
  }
}

/// Which kernels are called for a hash.
private struct Plan {
  let lines: [String]
  let line: Line

  init?(_ backend: HMACBackend?, _ algorithm: HashAlgorithm) {
    guard let plan = backend?.lanePlan(for: algorithm) else { return nil }
    // The kernels' lanes and, if measured, nanoseconds.
    let kernels = plan.kernels.map { kernel in
      "\(kernel.lanes)" + (kernel.nanoseconds.map { ":\(Int($0.rounded()))ns" } ?? "")
    }
    // The lanes of each call, for 1 to 32 codes.
    let calls = plan.calls.map { calls in calls.map { "\(plan.kernels[$0].lanes)" }.joined(separator: "+") }
    let name = algorithm.name
    lines =
      ["plan.\(name)=\(plan.isMeasured ? "measured" : "fixed") kernels=\(kernels.joined(separator: ","))"]
      + calls.enumerated().map { "plan.\(name).\($0 + 1)=\($1)" }
    line = Line([
      Field("algorithm", name), Field("isMeasured", plan.isMeasured), Field("kernels", kernels, text: nil),
      Field("calls", calls, text: nil),
    ])
  }
}
