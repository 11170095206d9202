/// A report as text for a terminal, with a line for each subject of each row.
public struct Table: CustomStringConvertible {
  private let report: BenchmarkReport

  /// The table of a report.
  public init(_ report: BenchmarkReport) { self.report = report }

  /// The lines, without a newline at the end.
  public var description: String {
    var lines = [["row", "subject", "ns", "±", "unit", "× swift-otp"]]
    var lastName = ""
    for row in report.rows {
      let doubt = report.isRatioMeaningless(of: row) ? "?" : ""
      lines.append(
        [
          row.name == lastName ? "" : row.name, row.subject, Table.number(row.ns, digits: 1),
          Table.number(row.spread * 100, digits: 0) + "%", row.unit, ratio(of: row) + doubt,
        ])
      lastName = row.name
    }
    let widths = lines[0].indices.map { column in lines.map { $0[column].count }.max() ?? 0 }
    return lines.map { Table.line($0, widths: widths) }.joined(separator: "\n")
  }

  private func ratio(of row: BenchmarkReport.Row) -> String {
    report.ratio(of: row).map { $0 == 1 ? "" : Table.number($0, digits: 2) } ?? ""
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
