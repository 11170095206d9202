import Foundation
import OTPVectors

/// Finds and reads vector files.
enum VectorFiles {
  /// The files at the paths: a file itself; for a folder, its `*.json` files in the order of their names, except
  /// `schema.json`.
  static func find(_ paths: [PathArgument]) throws(ToolError) -> [PathArgument] {
    var files: [PathArgument] = []
    for (index, path) in paths.enumerated() {
      // By its index: what is not a file may be a secret that was meant for another command.
      guard let status = FileStatus(of: path) else { throw .data("path \(index + 1) is not a file or folder") }
      guard status.isFolder else {
        files.append(path)
        continue
      }
      guard let names = names(in: path) else { throw .data("\(path.shown): the folder cannot be read") }
      let vectors = names.filter { $0.suffix(5).elementsEqual(".json".utf8) && !$0.elementsEqual("schema.json".utf8) }
      guard !vectors.isEmpty else { throw .data("\(path.shown): the folder contains no vector files") }
      files += vectors.sorted { $0.lexicographicallyPrecedes($1) }.map(path.appending)
    }
    return files
  }

  static func read(_ path: PathArgument) throws(ToolError) -> VectorFile {
    // Do not wait for a writer if it is a pipe.
    guard let file = InputFile(path, waits: false) else { throw .data("\(path.shown): cannot be read") }
    // Check this first, so that no device is read into memory.
    guard file.status?.isRegularFile == true else { throw .data("\(path.shown): not a regular file") }
    guard let bytes = file.read(past: VectorFile.maximumByteCount) else {
      throw .data("\(path.shown): cannot be read")
    }
    do throws(VectorFileError) {
      return try VectorFile(json: bytes)
    } catch {
      var error = error
      error.file = path.shown
      throw .data(error.description)
    }
  }

  /// The names in a folder, unchanged: Foundation replaces what is not UTF-8 with U+FFFD. `nil` if the folder cannot be
  /// read.
  private static func names(in path: PathArgument) -> [[UInt8]]? {
    guard let folder = unsafe opendir(path.cString) else { return nil }
    defer { unsafe closedir(folder) }
    var names: [[UInt8]] = []
    while let entry = unsafe readdir(folder) {
      unsafe names.append(
        withUnsafePointer(to: &entry.pointee.d_name) { name in
          unsafe name.withMemoryRebound(to: CChar.self, capacity: 1) { name in unsafe [UInt8](cString: name) }
        })
    }
    return names
  }
}
