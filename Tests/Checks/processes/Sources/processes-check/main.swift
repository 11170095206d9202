import Foundation

// With arguments it is one of the check's own processes: `processes-check contend|work|submit|sign-in PATH ARGUMENT`.
let arguments = CommandLine.arguments
do {
  switch arguments.dropFirst().first {
  case "contend": try await Contention.contend(path: arguments[2], positions: Int(arguments[3]) ?? 0)
  case "work": try await Kills.work(path: arguments[2], name: arguments[3])
  case "submit": try await OneCode.submit(arguments[2])
  case "sign-in": try await SignInKills.work(arguments[2], from: Int64(arguments[3]) ?? 0)
  default:
    let environment = ProcessInfo.processInfo.environment
    let seed = environment["SEED"].flatMap { UInt64($0) } ?? UInt64.random(in: 0..<1_000_000)
    print("seed \(seed)")
    let contention = try await Contention.check(processes: 8, positions: 200)
    let count = environment["KILLS"].flatMap { Int($0) } ?? 20
    let kills = try await Kills.check(count, seed: seed)
    let oneCode = try await OneCode.check(processes: 8)
    let signInKills = try await SignInKills.check(count, seed: seed)
    print("processes: \(contention); \(kills); \(oneCode); \(signInKills) (seed \(seed))")
  }
} catch {
  FileHandle.standardError.write(Data("processes: \(error)\n".utf8))
  exit(1)
}
