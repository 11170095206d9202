import Foundation
import MultiFactor

/// Several processes that change the same documents.
enum Increments {
  /// The number of simultaneous changes per process.
  private static let width = 100

  private static func key(_ index: Int) throws -> DocumentKey {
    guard let key = DocumentKey("counter/\(index)") else { throw Wrong(description: "a key") }
    return key
  }

  /// The child process: adds 1 to the documents this many times in all, in its own order.
  static func increment(_ folder: String, documents: Int, times: Int) async throws {
    let store = try await openStore(in: folder, isNew: false)
    report("ready")
    // Until the driver closes the other end.
    _ = FileHandle.standardInput.readDataToEndOfFile()
    try await withThrowingTaskGroup(of: Void.self) { group in
      for task in 0..<width {
        group.addTask {
          for _ in stride(from: task, to: times, by: width) {
            try await store.update(key(Int.random(in: 0..<documents))) { document in
              document = Array("\(number(document) + 1)".utf8)
            }
          }
        }
      }
      try await group.waitForAll()
    }
  }

  private static func number(_ document: [UInt8]?) -> Int {
    document.flatMap { Int(String(decoding: $0, as: UTF8.self)) } ?? 0
  }

  static func check(processes: Int, documents: Int, times: Int) async throws -> String {
    let folder = try Folder()
    let store = try await openStore(in: folder.path, isNew: true)
    _ = try await store.keys(after: nil, limit: 1)
    let children = try (0..<processes).map { _ in try Child(["increment", folder.path, "\(documents)", "\(times)"]) }
    while !children.allSatisfy(\.hasWritten) { try await Task.sleep(for: .milliseconds(1)) }
    let start = ContinuousClock.now
    for child in children { child.begin() }
    try require(children.map { $0.wait() }.allSatisfy(\.isWell), "a process failed")
    let seconds = (ContinuousClock.now - start) / .seconds(1)
    var sum = 0
    for index in 0..<documents { sum += try await number(store.document(key(index))) }
    try require(sum == processes * times, "only \(sum) of \(processes * times) changes were stored")
    return
      "\(processes) processes made \(sum) changes of \(documents) documents, \(Int(Double(sum) / seconds)) a second"
  }
}
