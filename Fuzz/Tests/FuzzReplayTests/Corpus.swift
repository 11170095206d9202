import Foundation
import FuzzTargets

/// The committed inputs of a target, in the order of their names.
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
