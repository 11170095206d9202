import FactorRecord
import Foundation
import Keyring

// Keeps users' second factors in a column of a table: see Factors.swift and ../README.md.
//
//   OwnTable DATABASE KEYRING WORKERS < requests

/// Answers a request: its number, `enroll`, `confirm` or `sign-in`, the user, and the code.
func serve(_ factors: Factors, _ request: [String]) -> String {
  let offset = (ProcessInfo.processInfo.environment["CLOCK_OFFSET"] ?? "0s").dropLast()
  let now = Int64(Date().timeIntervalSince1970) + (Int64(offset) ?? 0)
  guard request.count >= 3, let user = Int64(request[2]) else { return "\(request.first ?? "") error usage" }
  let code = request.count > 3 ? request[3] : ""
  do {
    if request[1] == "enroll" { return "\(request[0]) \(try factors.enroll(user, at: now) ?? "")" }
    let answer =
      try request[1] == "confirm" ? factors.confirm(user, code, at: now) : factors.signIn(user, code, at: now)
    switch answer {
    case .accepted: return "\(request[0]) accepted"
    case .enrolled: return "\(request[0]) enrolled"
    case .rejected: return "\(request[0]) rejected"
    case .wait: return "\(request[0]) wait"
    case .locked: return "\(request[0]) locked"
    }
  } catch {
    return "\(request[0]) error \(error)"
  }
}

/// Serves requests, as many at once as there are workers, each with a connection and a thread of its own.
func serve(_ database: String, _ file: String, workers: Int) throws {
  let keyring = try Keyring(file: file)
  let reading = NSLock()
  let ended = DispatchSemaphore(value: 0)
  for _ in 0..<workers {
    Thread.detachNewThread {
      do {
        let database: any Database = database.contains("host=") ? PostgreSQL(database) : try SQLite(database)
        let factors = Factors(database: database, keyring: keyring)
        while let line = reading.withLock({ readLine() }) {
          let answer = serve(factors, line.split(separator: " ").map(String.init))
          FileHandle.standardOutput.write(Data("\(answer)\n".utf8))
        }
      } catch {
        FileHandle.standardError.write(Data("\(error)\n".utf8))
      }
      ended.signal()
    }
  }
  for _ in 0..<workers { ended.wait() }
}

let arguments = CommandLine.arguments
try serve(arguments[1], arguments[2], workers: Int(arguments[3]) ?? 1)
