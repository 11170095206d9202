import Foundation

/// The results of a benchmark run, in the format `otp-bench/1`.
struct BenchmarkReport: Encodable {
  /// The machine that it ran on.
  struct Machine: Encodable {
    /// The CPU's name, as the operating system reports it.
    let cpu: String
    /// The version text of libcrypto.
    let openssl: String
    /// The instruction set of the engine's kernels, or the backend used instead of them.
    let lanes: String
  }

  /// One subject of one row.
  struct Row: Encodable {
    /// The row, such as `verify/sha1/window1/cached`.
    let name: String
    /// The measured subject, such as `swift-otp`.
    let subject: String
    /// Nanoseconds per unit: the median over the rounds.
    let ns: Double
    /// The unit that one operation handles, such as `code`.
    let unit: String
    /// Half the distance between the first and the last decile of the samples, as a fraction of the median.
    let spread: Double
  }

  /// The format's name and version.
  let format = "otp-bench/1"
  let machine: Machine
  /// All figures, in the order of measurement.
  let rows: [Row]

  /// A subject's figures as a line, with its time as a multiple of this engine's.
  func line(of row: Row) -> String {
    let figures = String(format: "%.1f ns ± %.0f %%", row.ns, row.spread * 100)
    guard let own = own(of: row) else { return "\(row.name) \(row.subject): \(figures)" }
    let ratio = String(format: "%.2f × swift-otp", row.ns / own.ns)
    return "\(row.name) \(row.subject): \(figures), \(ratio)\(isRatioMeaningless(of: row) ? "?" : "")"
  }

  /// Whether a ratio to this engine means little: the samples of the two differ by as much as the two do, or by a
  /// quarter.
  func isRatioMeaningless(of row: Row) -> Bool {
    guard let own = own(of: row) else { return false }
    let spread = own.spread + row.spread
    return spread > 0.25 || abs(row.ns / own.ns - 1) < spread
  }

  /// The engine's figures in the row of another subject.
  private func own(of row: Row) -> Row? {
    row.subject == "swift-otp" ? nil : rows.first { $0.name == row.name && $0.subject == "swift-otp" }
  }
}

extension BenchmarkReport.Row {
  /// - Parameter samples: The times in nanoseconds, one for each round.
  init(_ item: Case, _ subject: Subject, samples: [Double]) {
    let sorted = samples.sorted()
    let (last, middle) = (sorted.count - 1, sorted.count / 2)
    let median = sorted.count.isMultiple(of: 2) ? (sorted[middle - 1] + sorted[middle]) / 2 : sorted[middle]
    self.init(
      name: item.name, subject: subject.name, ns: median, unit: item.unit,
      spread: (sorted[last - last / 10] - sorted[last / 10]) / 2 / median)
  }
}
