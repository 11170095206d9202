import Foundation

extension BenchmarkReport {
  /// The first table of a file of `results`, as `plot.py` writes it: README's rows, with their names there.
  ///
  /// - Parameters:
  ///   - text: The file.
  ///   - name: What the machine is called.
  /// - Returns: `nil` if there is no such table.
  public init?(table text: String, name: String) {
    let lines = text.split(separator: "\n").prefix { $0.hasPrefix("|") }.map { line in
      line.split(separator: "|", omittingEmptySubsequences: false).dropFirst().dropLast().map {
        $0.trimmingCharacters(in: .whitespaces)
      }
    }
    guard let subjects = lines.first, subjects.first == "ns", lines.count > 2 else { return nil }
    var rows: [Row] = []
    for cells in lines.dropFirst(2) {
      guard let row = Row.titles.first(where: { $0.value == cells.first })?.key else { continue }
      for (subject, cell) in zip(subjects, cells).dropFirst() {
        // As in `**228**` and `1,335 (5.8×)`.
        let number = cell.prefix { $0 != " " }.filter { $0 != "*" && $0 != "," }
        if let ns = Double(number) { rows.append(Row(name: row, subject: subject, ns: ns, unit: "", spread: 0)) }
      }
    }
    guard !rows.isEmpty else { return nil }
    self.init(machine: Machine(cpu: name, openssl: "OpenSSL 3", lanes: "its table"), rows: rows)
  }
}
