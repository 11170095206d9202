@_spi(Diagnostics) import OTP

/// `otp vectors`
struct Vectors: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "vectors", abstract: "Run test vectors.",
    discussion: """
      All files are read before any is run. A test that uses HMAC runs, and counts, once on each backend. The last \
      line is 'N passed, M failed'.

      --group, --flag and --has take comma-separated lists of names, which vectors/README.md explains; a test must \
      match all that are given. Selecting no test is a usage error.

      EXAMPLE: otp vectors vectors --has hotp,totp,sha256 --flag LeadingZero
      """)

  @Argument(
    help: ArgumentHelp(
      "A vector file, or a folder of them: its *.json files except schema.json.", valueName: "file-or-folder"),
    completion: .file())
  var paths: [PathArgument]

  @Option(
    help: ArgumentHelp(
      "The backend to run on: \(HMACBackend.allNames); or all, those that this build has.", valueName: "backend"),
    completion: .list(HMACBackend.allCases.map(\.name) + ["all"]), transform: backends)
  var backend: BackendSelection = .all

  @OptionGroup var selection: VectorSelection
  @OptionGroup var output: JSONOption

  func run() throws {
    let backends = try backend.available()
    let files = try selection.of(
      VectorFiles.find(paths).map { (path) throws(ToolError) in (path: path, file: try VectorFiles.read(path)) })
    let reports = files.map { (path: $0.path, file: $0.file, report: $0.file.run(on: backends)) }
    let passed = reports.reduce(0) { $0 + $1.report.passedCount }
    let failed = reports.reduce(0) { $0 + $1.report.failedCount }
    let lines = reports.flatMap { path, file, report in
      ["\(path.shown): \(file.testCount) tests: \(report)"] + report.failures.map { "\(path.shown): \($0)" }
    }
    try Report(
      fields: [Field("passed", passed), Field("failed", failed), Field("files", reports.map(Self.line), text: nil)],
      lines: lines + ["\(passed) passed, \(failed) failed"]
    ).print(asJSON: output.json)
    guard failed == 0 else { throw ExitStatus.negative }
  }

  private static func line(_ path: PathArgument, _ file: VectorFile, _ report: VectorReport) -> Line {
    let targets = report.tallies.map { tally in
      Line([Field("target", tally.target), Field("passed", tally.passedCount), Field("failed", tally.failedCount)])
    }
    let failures = report.failures.map { failure in
      Line([
        Field("group", failure.group), Field("groupID", failure.groupID), Field("groupType", failure.groupType),
        Field("test", failure.test), Field("target", failure.target), Field("explanation", failure.explanation),
      ])
    }
    return Line([
      Field("file", path.text), Field("source", file.source), Field("tests", file.testCount),
      Field("targets", targets, text: nil), Field("failures", failures, text: nil),
    ])
  }

  @Sendable private static func backends(_ name: String) throws -> BackendSelection {
    if name == "all" { return .all }
    guard let backend = HMACBackend.allCases.first(where: { $0.name == name }) else {
      throw OptionValue.Invalid(description: "must be one of \(HMACBackend.allNames), all")
    }
    return .one(backend)
  }
}

/// The backends that vectors run on.
enum BackendSelection {
  case all
  case one(HMACBackend)

  /// The backends to run on. Requesting one that does not work here is an error; with `all`, a backend of this build
  /// that fails its known-answer test fails its vectors as well, so that nothing passes by not being run.
  func available() throws(ToolError) -> [HMACBackend] {
    switch self {
    case .all: return HMACBackend.present
    case .one(let backend) where backend.isAvailable: return [backend]
    case .one(let backend): throw .usage("--backend: \(backend.name) does not work here")
    }
  }
}
