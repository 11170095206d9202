/// Which tests of vector files to run: all by default.
struct VectorSelection: ParsableArguments {
  @Option(
    help: ArgumentHelp("Only the groups with these ids.", valueName: "ids"), transform: { try names($0, of: nil) })
  var group: Set<String>?

  @Option(
    help: ArgumentHelp("Only the tests with one of these flags.", valueName: "flags"),
    completion: .list(VectorFile.flags), transform: { try names($0, of: VectorFile.flags) })
  var flag: Set<String>?

  @Option(
    help: ArgumentHelp("Only the tests that need no features other than these: a profile.", valueName: "features"),
    completion: .list(VectorFile.features), transform: { try names($0, of: VectorFile.features) })
  var has: Set<String>?

  /// A file and its path.
  typealias NamedFile = (path: PathArgument, file: VectorFile)

  /// The selected tests, without files that have none. Selecting nothing is an error, and so is a group that no file
  /// has, so that nothing passes by not being run.
  func of(_ files: [NamedFile]) throws(ToolError) -> [NamedFile] {
    let groups = group ?? []
    guard groups.allSatisfy({ id in files.contains { $0.file.selecting(groupIDs: [id]).testCount > 0 } }) else {
      throw .usage("--group: the files do not have all of these groups")
    }
    let selected = files.map { ($0.path, $0.file.selecting(groupIDs: group, flags: flag, features: has)) }
      .filter { $0.1.testCount > 0 }
    guard !selected.isEmpty else { throw .usage("no test matches the selection") }
    return selected
  }

  @Sendable private static func names(_ text: String, of known: [String]?) throws -> Set<String> {
    let names = Set(text.split(separator: ",", omittingEmptySubsequences: false).map(String.init))
    guard let known else { return names }
    guard names.isSubset(of: known) else {
      throw OptionValue.Invalid(
        description: "must be a comma-separated list of: \(known.sorted().joined(separator: ", "))")
    }
    return names
  }
}
