/// Reads a code from standard input, from a user or a script.
enum Prompt {
  /// The maximum length of an answer, in bytes. A code has a few, and a pipe may never end.
  static let maximumByteCount = 256

  /// The next line of standard input, without its line break.
  ///
  /// The prompt is written to standard error, and only if standard input is a terminal.
  static func line(_ question: String) throws(ToolError) -> String {
    let isTerminal = isatty(STDIN_FILENO) == 1
    if isTerminal { StandardError.write(prompt: question) }
    var bytes: [UInt8] = []
    // Byte by byte, because what follows the line may be the answer to the next prompt.
    while let byte = try nextByte() {
      if byte == 0x0A { return try text(bytes) }
      guard bytes.count < maximumByteCount else {
        throw .data("standard input: the line is longer than \(maximumByteCount) bytes")
      }
      bytes.append(byte)
    }
    // The line break that the user did not type.
    if isTerminal { StandardError.write(prompt: "\n") }
    guard !bytes.isEmpty else { throw .data("standard input: there is no code") }
    return try text(bytes)
  }

  private static func text(_ bytes: [UInt8]) throws(ToolError) -> String {
    let line = bytes.last == 0x0D ? bytes.dropLast() : bytes[...]
    let text = String(decoding: line, as: UTF8.self)
    guard text.utf8.elementsEqual(line) else { throw .data("standard input: the line is not UTF-8") }
    return text
  }

  private static func nextByte() throws(ToolError) -> UInt8? {
    do {
      return try FileHandle.standardInput.read(upToCount: 1)?.first
    } catch {
      throw .data("standard input cannot be read")
    }
  }
}
