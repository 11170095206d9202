import Foundation

/// Programs that measure themselves: a first code, a start, and other languages.
enum ProgramCases {
  /// - Parameter folder: Where `Benchmarks/programs/build.sh` has built them.
  static func all(in folder: String) -> [Case] {
    let list = (try? String(contentsOfFile: folder + "/programs.txt", encoding: .utf8)) ?? ""
    var rows: [(name: String, subjects: [(name: String, command: [String])])] = []
    for line in list.split(separator: "\n") {
      let parts = line.split(separator: "\t").map(String.init)
      if rows.last?.name != parts[0] { rows.append((parts[0], [])) }
      rows[rows.count - 1].subjects.append((parts[1], parts[2].split(separator: " ").map(String.init)))
    }
    return rows.map { row in
      Case(name: row.name) {
        try row.subjects.map { name, command in
          let measure = { (try? run(command)).flatMap { Double($0.trimmingCharacters(in: .whitespacesAndNewlines)) } }
          try require(measure() != nil, row.name, name)
          return Subject(name) { measure() ?? .infinity }
        }
      }
    }
  }

  struct Failure: Error {}

  /// What a program prints, found by its path or in PATH.
  static func run(_ arguments: [String]) throws -> String {
    let process = Process()
    let output = Pipe()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = arguments
    process.standardOutput = output
    process.standardError = FileHandle.nullDevice
    try process.run()
    let text = String(decoding: try output.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
    process.waitUntilExit()
    guard process.terminationStatus == 0 else { throw Failure() }
    return text
  }
}
