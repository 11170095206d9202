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

  /// A program that prints the nanoseconds of an operation.
  private static func subject(_ name: String, _ command: [String]) -> Subject {
    Subject(name: name) { _ in
      let printed = try run(command)
      guard let time = Double(printed) else { throw Failure(description: "\(name) prints \(printed)") }
      return time
    }
  }

  /// What a program prints, found by its path or in PATH.
  static func run(_ arguments: [String]) throws -> String {
    // Threads of a pool block all signals, a child inherits that, and pgbench needs SIGALRM.
    var none = sigset_t()
    _ = unsafe (sigemptyset(&none), pthread_sigmask(SIG_SETMASK, &none, nil))
    let process = Process()
    let output = Pipe()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = arguments
    process.standardOutput = output
    try process.run()
    let text = String(decoding: try output.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
    process.waitUntilExit()
    try require(process.terminationStatus == 0, arguments.joined(separator: " "))
    return text.trimmingCharacters(in: .whitespacesAndNewlines)
  }
}
