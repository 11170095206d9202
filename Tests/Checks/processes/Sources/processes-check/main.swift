import Foundation

// With arguments it is one of the check's own processes: `processes-check contend|work|set-up FOLDER ARGUMENT…`.
let arguments = CommandLine.arguments
do {
  switch arguments.dropFirst().first {
  case "contend":
    try await Contention.contend(arguments[2], users: Int(arguments[3]) ?? 0, times: Int(arguments[4]) ?? 0)
  case "work": try await Kills.work(arguments[2], name: arguments[3], from: Int64(arguments[4]) ?? 0)
  case "set-up": try await SetUpKills.work(arguments[2], user: arguments[3])
  default:
    let environment = ProcessInfo.processInfo.environment
    let seed = environment["SEED"].flatMap { UInt64($0) } ?? UInt64.random(in: 0..<1_000_000)
    print("seed \(seed)")
    let contention = try await Contention.check(processes: 8, users: 200, times: 1)
    let oneUser = try await Contention.check(processes: 8, users: 1, times: 12)
    let count = environment["KILLS"].flatMap { Int($0) } ?? 20
    let kills = try await Kills.check(count, seed: seed)
    let setUps = try await SetUpKills.check(count, seed: seed)
    print("processes: \(contention); \(oneUser); \(kills); \(setUps) (seed \(seed))")
  }
} catch {
  FileHandle.standardError.write(Data("processes: \(error)\n".utf8))
  exit(1)
}
