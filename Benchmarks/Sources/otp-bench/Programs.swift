import Foundation

/// Programs that measure themselves: a first code, a start, and other languages.
enum Programs {
  /// - Parameter folder: What `Benchmarks/build.sh` has made.
  static func rows(in folder: String) throws -> [Row] {
    var rows: [(name: String, subjects: [Subject])] = []
    for line in try String(contentsOfFile: folder + "/programs.txt", encoding: .utf8).split(separator: "\n") {
      let parts = line.split(separator: "\t").map(String.init)
      if rows.last?.name != parts[0] { rows.append((parts[0], [])) }
      rows[rows.count - 1].subjects.append(subject(parts[1], parts[2].split(separator: " ").map(String.init)))
    }
    return rows.map { row in Row(name: row.name) { row.subjects } }
  }

  /// A program, found by its path or in PATH, that prints the nanoseconds of an operation.
  static func subject(_ name: String, _ command: [String]) -> Subject {
    Subject(name: name) { _ in
      let (process, output) = (Process(), Pipe())
      process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
      (process.arguments, process.standardOutput) = (command, output)
      try process.run()
      let printed = String(decoding: try output.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
      process.waitUntilExit()
      guard process.terminationStatus == 0, let time = Double(printed.dropLast()) else {
        throw Failure(description: "\(command.joined(separator: " ")) prints \(printed)")
      }
      return time
    }
  }
}
