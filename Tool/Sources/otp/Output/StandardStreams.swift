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

/// Standard error, for one line, a warning before it, and prompts.
enum StandardError {
  static func write(line: String) { write("otp: \(line)\n") }

  static func write(warning: String) { write("otp: warning: \(warning)\n") }

  static func write(prompt: String) { write(prompt) }

  private static func write(_ text: String) {
    // If even this cannot be written, only the exit status remains.
    try? FileHandle.standardError.write(contentsOf: Data(text.utf8))
  }
}
