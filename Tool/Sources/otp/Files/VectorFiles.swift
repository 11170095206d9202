/// Finds and reads vector files.
enum VectorFiles {
  /// The files at the paths: a file itself; for a folder, its `*.json` files in the order of their names, except
  /// `schema.json`.
  static func find(_ paths: [PathArgument]) throws(ToolError) -> [PathArgument] {
    var files: [PathArgument] = []
    for (index, path) in paths.enumerated() {
      // By its index: what is not a file may be a secret that was meant for another command.
      guard let status = FileStatus(of: path.text) else { throw .data("path \(index + 1) is not a file or folder") }
      guard status.isFolder else {
        files.append(path)
        continue
      }
      guard let names = try? FileManager.default.contentsOfDirectory(atPath: path.text) else {
        throw .data("\(path.shown): the folder cannot be read")
      }
      let vectors = names.filter { $0.hasSuffix(".json") && $0 != "schema.json" }
      guard !vectors.isEmpty else { throw .data("\(path.shown): the folder contains no vector files") }
      files += vectors.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }.map(path.appending)
    }
    return files
  }

  static func read(_ path: PathArgument) throws(ToolError) -> VectorFile {
    do throws(VectorFileError) {
      return try VectorFile(contentsOf: path.text)
    } catch {
      var error = error
      error.file = path.shown
      throw .data(error.description)
    }
  }
}
