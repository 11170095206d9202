import Foundation
import OTPVectors

/// Finds and reads vector files.
enum VectorFiles {
  /// The files that paths name: a file itself; of a folder its `*.json` in the order of their names, but not
  /// `schema.json`.
  static func find(_ paths: [String]) throws(ToolError) -> [String] {
    var files: [String] = []
    for (index, path) in paths.enumerated() {
      // By its place: what names no file may be a secret that was meant for another command.
      guard FileManager.default.fileExists(atPath: path) else {
        throw .data("path \(index + 1) names no file or folder")
      }
      guard FileManager.default.isFolder(path) else {
        files.append(path)
        continue
      }
      guard let names = try? FileManager.default.contentsOfDirectory(atPath: path) else {
        throw .data("\(DisplayText.escaped(path)): the folder cannot be read")
      }
      let vectors = names.filter { $0.hasSuffix(".json") && $0 != "schema.json" }
      guard !vectors.isEmpty else { throw .data("\(DisplayText.escaped(path)): there is no vector file in the folder") }
      files += vectors.sorted().map { path.hasSuffix("/") ? path + $0 : "\(path)/\($0)" }
    }
    return files
  }

  static func read(_ path: String) throws(ToolError) -> VectorFile {
    do throws(VectorFileError) {
      return try VectorFile(contentsOf: path)
    } catch {
      var error = error
      error.file = DisplayText.escaped(path)
      throw .data(error.description)
    }
  }
}

extension FileManager {
  fileprivate func isFolder(_ path: String) -> Bool {
    (try? URL(fileURLWithPath: path).resolvingSymlinksInPath().resourceValues(forKeys: [.isDirectoryKey]))?
      .isDirectory ?? false
  }
}
