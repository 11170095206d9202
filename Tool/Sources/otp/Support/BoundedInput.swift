import OTP

/// Reads what should be short, and gives up on what is not: a device or a pipe may never end.
enum BoundedInput {
  /// The most that is read. A key URI has 2,048 bytes at most, and no sensible secret is longer.
  static let maximumByteCount = 4096

  /// Reads the file of `--secret-file`, or standard input for `-`, and warns if other users can read or change it.
  ///
  /// - Parameters:
  ///   - source: The option.
  ///   - parse: Makes a secret of the bytes, which have no line breaks at their end.
  static func readSecret<Secret>(
    _ path: PathArgument, for source: String = "--secret-file", _ parse: ([UInt8]) throws(OTPError) -> Secret
  ) throws(ToolError) -> Secret {
    // The path itself stays out of errors: it is where a secret ends up that is given to the wrong option.
    let isStandardInput = path.text == "-"
    guard let file = isStandardInput ? InputFile.standardInput : InputFile(path) else {
      throw .data("\(source): the file cannot be opened")
    }
    let bytes = try read(file, for: source)
    let secret = try calling(for: source, blaming: .data) { () throws(OTPError) in try parse(bytes) }
    if !isStandardInput, file.status?.isExposed == true {
      StandardError.write(warning: "\(source): other users can read or change the file; see 'chmod 600'")
    }
    return secret
  }

  /// The bytes of standard input, without the line breaks at their end.
  static func readStandardInput() throws(ToolError) -> [UInt8] { try read(.standardInput, for: "standard input") }

  private static func read(_ file: borrowing InputFile, for source: String) throws(ToolError) -> [UInt8] {
    guard var bytes = file.read(past: maximumByteCount) else { throw .data("\(source): the file cannot be read") }
    guard bytes.count <= maximumByteCount else { throw .data("\(source): more than \(maximumByteCount) bytes") }
    while let last = bytes.last, last == 0x0A || last == 0x0D { bytes.removeLast() }
    return bytes
  }
}
