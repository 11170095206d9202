/// Reads input that should be short, up to a limit: a device or a pipe may never end.
enum BoundedInput {
  /// The maximum length. A key URI has at most 2,048 bytes, and no sensible secret is longer.
  static let maximumByteCount = 4096

  /// Reads the file of `--secret-file`, or standard input for `-`, and warns if other users can read or change it.
  ///
  /// - Parameters:
  ///   - source: The option.
  ///   - parse: Parses a secret from the bytes, without line breaks at the end.
  static func readSecret<Secret>(
    _ path: PathArgument, for source: String = "--secret-file", _ parse: ([UInt8]) throws(OTPError) -> Secret
  ) throws(ToolError) -> Secret {
    let isStandardInput = path.text == "-"
    guard let file = isStandardInput ? InputFile.standardInput : InputFile(path) else {
      throw .data("\(source): \(path.fileName) cannot be opened")
    }
    let bytes = withoutLineBreaks(try read(file, for: source))
    let secret = try calling(for: source, blaming: .data) { () throws(OTPError) in try parse(bytes) }
    if !isStandardInput, file.status?.isExposed == true {
      StandardError.write(warning: "\(source): other users can read or change the file; see 'chmod 600'")
    }
    return secret
  }

  /// The bytes of standard input, without the line breaks at their end.
  static func readStandardInput() throws(ToolError) -> [UInt8] { withoutLineBreaks(try readAllOfStandardInput()) }

  /// All bytes of standard input.
  static func readAllOfStandardInput() throws(ToolError) -> [UInt8] { try read(.standardInput, for: "standard input") }

  /// The bytes without the line breaks at their end.
  static func withoutLineBreaks(_ bytes: [UInt8]) -> [UInt8] {
    Array(bytes.dropLast(bytes.reversed().prefix { $0 == 0x0A || $0 == 0x0D }.count))
  }

  private static func read(_ file: borrowing InputFile, for source: String) throws(ToolError) -> [UInt8] {
    guard let bytes = file.bytes(past: maximumByteCount) else { throw .data("\(source): the file cannot be read") }
    guard bytes.count <= maximumByteCount else { throw .data("\(source): more than \(maximumByteCount) bytes") }
    return bytes
  }
}
