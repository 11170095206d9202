/// Standard output, whose failures are errors.
enum StandardOutput {
  static func write(_ text: String) throws(ToolError) {
    guard writeAll(Array(text.utf8), to: STDOUT_FILENO) else { throw .outputFailed }
  }
}

/// Standard error, for one line, a warning before it, and prompts.
enum StandardError {
  static func write(line: String) { write(prompt: "otp: \(line)\n") }

  static func write(warning: String) { write(prompt: "otp: warning: \(warning)\n") }

  static func write(prompt: String) {
    // If even this cannot be written, only the exit status remains.
    _ = writeAll(Array(prompt.utf8), to: STDERR_FILENO)
  }
}

/// - Returns: Whether all could be written.
func writeAll(_ bytes: [UInt8], to descriptor: Int32) -> Bool {
  var written = 0
  while written < bytes.count {
    let count = unsafe bytes.withUnsafeBytes { bytes in
      let rest = unsafe UnsafeRawBufferPointer(rebasing: bytes[written...])
      return retrying { unsafe write(descriptor, rest.baseAddress, rest.count) }
    }
    guard count > 0 else { return false }
    written += count
  }
  return true
}
