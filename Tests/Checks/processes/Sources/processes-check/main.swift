import Foundation
import OTP

// With arguments, it is one of the check's child processes: `processes-check contend|work|set-up|increment FOLDER
// ARGUMENT…`, `processes-check endure URL FOLDER NAME` or `processes-check host URL FOLDER NAME START`.
let arguments = CommandLine.arguments
if arguments.last != "crashing" { OTPEngine.keepLibcryptoAtExit() }
do {
  switch arguments.dropFirst().first {
  case "contend":
    try await Contention.contend(arguments[2], users: Int(arguments[3]) ?? 0, times: Int(arguments[4]) ?? 0)
  case "exit": try await Exits.exitWhileWorking(arguments[2])
  case "work": try await Kills.work(arguments[2], name: arguments[3], from: Int64(arguments[4]) ?? 0)
  case "set-up": try await SetUpKills.work(arguments[2], user: arguments[3])
  case "increment":
    try await Increments.increment(arguments[2], documents: Int(arguments[3]) ?? 0, times: Int(arguments[4]) ?? 0)
  case "endure": try await Outages.endure(arguments[2], arguments[3], name: arguments[4])
  case "probe": print(await Probe.use(arguments[2], documents: arguments.count > 3 ? Int(arguments[3]) ?? 0 : 1))
  case "fail-over":
    guard let servers = Servers() else { throw Wrong(description: "no server") }
    let url = servers.url(0, 1)
    let end = try await Outages.check("failing over", times: 1, url: url) { try servers.failOver() }
    print("processes: \(end); \(try await Standbys.checkCancelledWait(servers, url: url))")
  case "lose":
    guard let servers = Servers() else { throw Wrong(description: "no server") }
    print("processes: \(try await Standbys.checkLoss(servers, isWarm: arguments.contains("warm")))")
  case "promote":
    guard let servers = Servers() else { throw Wrong(description: "no server") }
    print("processes: \(try await Promotions(servers).check())")
  case "host":
    try await FailOverHosts.work(
      arguments[2], arguments[3], name: arguments[4], start: Int64(arguments[5]) ?? 0,
      isEarly: arguments.last == "early")
  case "fail-overs":
    let seed = UInt64(arguments[5]) ?? 0
    print("seed \(seed)")
    fflush(nil)
    let end = try await FailOvers.check(Array(arguments[2...3]), isLong: arguments[4] == "soak", seed: seed)
    print("failover: \(end)")
  case "open": print(Names.open(arguments[2]))
  case "hold": try await Names.hold(arguments[2])
  case "names": print("processes: \(try await Names.check(arguments[2], mountedAt: arguments[3]))")
  default:
    let environment = ProcessInfo.processInfo.environment
    let seed = environment["SEED"].flatMap { UInt64($0) } ?? UInt64.random(in: 0..<1_000_000)
    print("seed \(seed)")
    let contention = try await Contention.check(processes: 8, users: 200, times: 1)
    let oneUser = try await Contention.check(processes: 8, users: 1, times: 12)
    let count = environment["KILLS"].flatMap { Int($0) } ?? 20
    let kills = try await Kills.check(count, seed: seed)
    let setUps = try await SetUpKills.check(count, seed: seed)
    var results = [contention, oneUser, kills, setUps]
    if serverURL == nil { results.append(try await Exits.check(1000, control: 50)) }
    if let servers = Servers() {
      results.append(try await Increments.check(processes: 8, documents: 100, times: 12_500))
      results.append(
        try await Outages.check("killing a backend", times: count, url: servers.url(0)) {
          try await servers.killBackend()
        })
      results.append(
        try await Outages.check("killing the server", times: count, url: servers.url(0)) {
          try await servers.killPostmaster()
        })
    }
    print("processes: \(results.joined(separator: "; ")) (seed \(seed))")
  }
} catch {
  FileHandle.standardError.write(Data("processes: \(error)\n".utf8))
  exit(1)
}
