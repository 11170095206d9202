import Foundation
import FuzzTargets

/// A target's committed inputs, in order of their names.
struct Corpus {
  let files: [(name: String, bytes: [UInt8])]

  init(of target: FuzzTarget) throws {
    let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("../../Corpus")
      .appendingPathComponent(target.rawValue)
    files = try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted().map { name in
      (name, Array(try Data(contentsOf: folder.appendingPathComponent(name))))
    }
  }
}
