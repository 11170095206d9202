import Foundation

/// Standard output, whose failures are errors.
enum StandardOutput {
  static func write(_ text: String) throws(ToolError) {
    do {
      try FileHandle.standardOutput.write(contentsOf: Data(text.utf8))
    } catch {
      throw .outputFailed
    }
  }
}

/// Standard error, for one line.
enum StandardError {
  static func write(line: String) {
    // Where even this cannot be written, the exit status has to say it alone.
    try? FileHandle.standardError.write(contentsOf: Data("otp: \(line)\n".utf8))
  }
}
