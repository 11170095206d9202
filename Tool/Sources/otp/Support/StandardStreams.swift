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

/// Standard error, for one line, for a warning before it, and for what is asked of a person.
enum StandardError {
  static func write(line: String) { write("otp: \(line)\n") }

  static func write(warning: String) { write("otp: warning: \(warning)\n") }

  static func write(prompt: String) { write(prompt) }

  private static func write(_ text: String) {
    // Where even this cannot be written, the exit status has to say it alone.
    try? FileHandle.standardError.write(contentsOf: Data(text.utf8))
  }
}
