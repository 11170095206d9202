/// Reads a file line by line.
struct LineReader {
  let source: SeedSource
  /// The line read last, without its line ending.
  let text = WipedText()
  /// Its number, from 1.
  private(set) var line = 0

  init(_ source: SeedSource) { self.source = source }

  /// Reads the next line that is not blank; false at the end.
  mutating func next() throws(SeedRefusal) -> Bool {
    if line == 0 { try source.skipByteOrderMark() }
    while try source.peek() != nil {
      line = source.line
      text.removeAll()
      var isBlank = true
      while let byte = try source.next(), byte != 0x0A {
        if byte == 0x0D, try source.peek() == 0x0A { continue }
        if !byte.isWhiteSpace { isBlank = false }
        try text.append(byte, line: line)
      }
      if !isBlank { return true }
    }
    return false
  }

  /// The key in the next line that is neither blank nor a comment, or why there is none; `nil` at the end.
  ///
  /// - Parameter seed: Reads a line's key from its text without white space at the ends, and the line's number.
  mutating func nextRecord(
    _ seed: (Span<UInt8>, Int) throws(SeedRefusal) -> Seed
  ) throws(SeedRefusal) -> SeedRecord? {
    while try next() {
      let line = line
      let record: SeedRecord? = try text.withBytes { (text) throws(SeedRefusal) in
        let text = text.extracting(text.trimmed)
        if text.begins(with: "#") { return nil }
        do throws(SeedRefusal) { return .seed(try seed(text, line)) } catch { return .refused(error) }
      }
      if let record { return record }
    }
    return nil
  }
}
