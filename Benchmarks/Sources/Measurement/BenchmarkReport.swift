/// The results of a benchmark run, in the format `otp-bench/1`.
public struct BenchmarkReport: Codable, Sendable, Equatable {
  /// The machine that it ran on.
  public struct Machine: Codable, Sendable, Equatable {
    /// The CPU's name, as the operating system reports it.
    public let cpu: String
    /// The version text of libcrypto.
    public let openssl: String
    /// The instruction set of the engine's kernels, or the backend used instead of them.
    public let lanes: String

    /// The machine that the report is about.
    public init(cpu: String, openssl: String, lanes: String) {
      self.cpu = cpu
      self.openssl = openssl
      self.lanes = lanes
    }
  }

  /// One subject of one row.
  public struct Row: Codable, Sendable, Equatable {
    /// The row, such as `verify/sha1/window1/cached`.
    public let name: String
    /// The measured subject, such as `swift-otp`.
    public let subject: String
    /// Nanoseconds per unit: the median over the rounds.
    public let ns: Double
    /// The unit that one operation handles, such as `code`.
    public let unit: String
    /// How far samples are from the median, as a fraction of it. Added to the format later; readers may ignore it.
    public let spread: Double

    /// One subject's figure in a row.
    public init(name: String, subject: String, ns: Double, unit: String, spread: Double) {
      self.name = name
      self.subject = subject
      self.ns = ns
      self.unit = unit
      self.spread = spread
    }
  }

  /// The format's name and version: `otp-bench/1`.
  public let format: String
  /// The machine that it ran on.
  public let machine: Machine
  /// All figures, in the order of measurement.
  public let rows: [Row]

  /// A report of the rows that one run has measured.
  public init(machine: Machine, rows: [Row]) {
    format = "otp-bench/1"
    self.machine = machine
    self.rows = rows
  }

  /// The subject that all others are compared with.
  public static let subject = "swift-otp"

  /// Whether a ratio to this engine means little: the samples of the two differ by as much as the two do, or by a
  /// quarter.
  public func isRatioMeaningless(of row: Row) -> Bool {
    guard let own = rows.first(where: { $0.name == row.name && $0.subject == BenchmarkReport.subject }),
      row.subject != BenchmarkReport.subject
    else { return false }
    let spread = own.spread + row.spread
    return spread > 0.25 || abs(row.ns / own.ns - 1) < spread
  }

  /// How many times as long as this engine a row's subject takes; `nil` if the engine has no such row.
  public func ratio(of row: Row) -> Double? {
    rows.first { $0.name == row.name && $0.subject == BenchmarkReport.subject }.map { row.ns / $0.ns }
  }
}
