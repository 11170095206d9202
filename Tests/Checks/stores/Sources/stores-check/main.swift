import Foundation
import MultiFactor
import MultiFactorPostgreSQL
import OTP

// A host of the check `stores`, driven by hosts.py: it reads requests, one a line, and answers each with a line,
// beside those that report users' calls.
//
//   stores-check sqlite|URL FOLDER OPTION...
//
// Options: `early` (a planted fault: it answers before it commits), `wide` (eight connections), `pooled` (through
// PgBouncer).
let arguments = CommandLine.arguments
let place = Place(url: arguments[1], folder: arguments[2], options: Array(arguments.dropFirst(3)))
OTPEngine.keepLibcryptoAtExit()

/// Writes a whole line at once.
func report(_ line: String) { FileHandle.standardOutput.write(Data((line + "\n").utf8)) }

func answer(_ request: String, _ words: [String], _ host: Host) async throws -> String {
  let number = words.first.flatMap { UInt8($0) } ?? 0
  switch request {
  case "prepare": try await host.prepare(words)
  case "offer": return try await host.offer(words).joined(separator: " ")
  case "loss": return (host.store as? PostgreSQLFactorStore)?.lossDate == nil ? "none" : "noticed"
  case "put": try await host.put(number)
  case "has": return try await host.has(number) ? "yes" : "no"
  default: return "error: the request \(request)"
  }
  return "done"
}

report("ready")
var opened: Host?
var work: Task<Void, Never>?
while let line = readLine() {
  let words = line.split(separator: " ").map(String.init)
  do {
    switch words[0] {
    case "create":
      try await place.create()
      report("done")
    case "probe": report(await place.probe(documents: Int(words[1]) ?? 0))
    case "open":
      opened = try place.host()
      report("done")
    default:
      let host = try opened ?? place.host()
      opened = host
      if words[0] != "work" {
        report(try await answer(words[0], Array(words.dropFirst()), host))
      } else {
        let run = Work(host, Array(words.dropFirst()))
        work = Task.detached { do { try await run.run() } catch { report("error: \(error)") } }
      }
    }
  } catch {
    report("error: \((error as? FactorStoreError)?.kind.rawValue ?? "\(error)")")
  }
}
Work.isOver.store(true, ordering: .relaxed)
await work?.value
