/// A report as text for a terminal, with a line for each subject of each row, and with a recorded one beside it, if
/// any.
public struct Table: CustomStringConvertible {
  private let report: BenchmarkReport
  private let recorded: BenchmarkReport?

  /// The table of a report.
  public init(_ report: BenchmarkReport, beside recorded: BenchmarkReport? = nil) {
    self.report = report
    self.recorded = recorded
  }

  /// The lines, without a newline at the end.
  public var description: String {
    let added = recorded == nil ? [] : ["recorded ns", "× swift-otp", "here / there"]
    var lines = [["row", "subject", "ns", "±", "unit", "× swift-otp"] + added]
    var lastName = ""
    for row in report.rows {
      let doubt = report.isRatioMeaningless(of: row) ? "?" : ""
      lines.append(
        [
          row.name == lastName ? "" : row.title, row.subject, Table.number(row.ns, digits: 1),
          Table.number(row.spread * 100, digits: 0) + "%", row.unit, Table.ratio(of: row, in: report) + doubt,
        ] + beside(row))
      lastName = row.name
    }
    let widths = lines[0].indices.map { column in lines.map { $0[column].count }.max() ?? 0 }
    return lines.map { Table.line($0, widths: widths) }.joined(separator: "\n")
  }

  /// What was recorded of the same subject and row, and how many times as long it takes here.
  private func beside(_ row: BenchmarkReport.Row) -> [String] {
    guard let recorded else { return [] }
    guard let other = recorded.rows.first(where: { $0.name == row.name && $0.subject == row.subject }) else {
      return ["", "", ""]
    }
    return [
      Table.number(other.ns, digits: 1), Table.ratio(of: other, in: recorded),
      Table.number(row.ns / other.ns, digits: 2),
    ]
  }

  private static func ratio(of row: BenchmarkReport.Row, in report: BenchmarkReport) -> String {
    report.ratio(of: row).map { $0 == 1 ? "" : number($0, digits: 2) } ?? ""
  }

  /// Aligns texts to the left and numbers to the right.
  private static func line(_ cells: [String], widths: [Int]) -> String {
    let padded = zip(cells, widths).enumerated().map { column, cell in
      let padding = String(repeating: " ", count: cell.1 - cell.0.count)
      return [0, 1, 4].contains(column) ? cell.0 + padding : padding + cell.0
    }
    return padded.joined(separator: "  ").trimmingSuffix(" ")
  }

  /// A number with the given number of digits after the point, 0 to 3.
  static func number(_ value: Double, digits: Int) -> String {
    let scale = [1.0, 10, 100, 1000][digits]
    let scaled = Int((value * scale).rounded())
    guard digits > 0 else { return String(scaled) }
    let fraction = String(scaled % Int(scale))
    return "\(scaled / Int(scale))." + String(repeating: "0", count: digits - fraction.count) + fraction
  }
}

extension String {
  fileprivate func trimmingSuffix(_ character: Character) -> String {
    var text = self
    while text.last == character { text.removeLast() }
    return text
  }
}
