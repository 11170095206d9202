import Testing

@testable import OTPTool

@Suite struct TerminalQRCodeTests {
  @Test(arguments: [1, 14, 15, 62, 100, 213, 1000, 2048, 2331])
  func `a symbol has three finder patterns and a quiet zone of four modules`(byteCount: Int) throws {
    let lines = try TerminalQRCode(String(repeating: "x", count: byteCount)).lines(in: .plain)
    let drawing = try #require(Drawing(lines))
    let size = drawing.width - 8
    #expect((21...177).contains(size) && size % 4 == 1)
    #expect(lines.count == (drawing.width + 1) / 2)

    let symbol = 4..<4 + size
    let isQuiet = (0..<drawing.height).allSatisfy { row in
      (0..<drawing.width).allSatisfy { column in
        (symbol.contains(row) && symbol.contains(column)) || !drawing.isDark(row, column)
      }
    }
    #expect(isQuiet)
    #expect(drawing.hasFinder(4, 4) && drawing.hasFinder(4, 4 + size - 7) && drawing.hasFinder(4 + size - 7, 4))
    #expect(!drawing.hasFinder(4 + size - 7, 4 + size - 7))
    // The timing patterns between them.
    let alternates = (8..<size - 8).allSatisfy { module in
      let isDark = module % 2 == 0
      return drawing.isDark(4 + 6, 4 + module) == isDark && drawing.isDark(4 + module, 4 + 6) == isDark
    }
    #expect(alternates)
  }

  /// The capacities of the versions in byte mode at level M, from the standard's table.
  @Test(arguments: [(14, 21), (15, 25), (26, 25), (27, 29), (62, 33), (63, 37), (213, 57), (214, 61), (2331, 177)])
  func `the smallest symbol that holds the text at level M is used`(byteCount: Int, size: Int) throws {
    // Digits would take less room in numeric mode.
    let lines = try TerminalQRCode(String(repeating: "1", count: byteCount)).lines(in: .plain)
    #expect(lines.first?.count == size + 8)
  }

  @Test func `the symbol declares level M`() throws {
    let lines = try TerminalQRCode("otpauth").lines(in: .plain)
    let drawing = try #require(Drawing(lines))
    // The first two modules of the format information under its mask 10: level M is 00.
    #expect(drawing.isDark(4 + 8, 4) && !drawing.isDark(4 + 8, 4 + 1))
  }

  @Test func `color changes only the colors`() throws {
    let code = try TerminalQRCode(Seed.uri)
    let colored = code.lines(in: .colored)
    #expect(colored == code.lines(in: .plain).map { "\u{1B}[38;5;231;48;5;16m\($0)\u{1B}[0m" })
  }

  @Test(arguments: [
    (true, ["TERM": "xterm"], true), (true, ["TERM": "xterm", "NO_COLOR": ""], true),
    (true, ["TERM": "xterm", "NO_COLOR": "1"], false), (true, ["TERM": "dumb"], false), (true, ["TERM": ""], false),
    (true, [:], false), (false, ["TERM": "xterm"], false), (false, ["TERM": "xterm", "CLICOLOR_FORCE": "1"], true),
    (false, ["TERM": "xterm", "CLICOLOR_FORCE": "0"], false), (false, ["TERM": "xterm", "CLICOLOR_FORCE": ""], false),
    (false, ["TERM": "dumb", "CLICOLOR_FORCE": "1"], false),
    (false, ["TERM": "xterm", "CLICOLOR_FORCE": "1", "NO_COLOR": "1"], false),
  ])
  func `colors are used only for terminals that support them`(
    isTerminal: Bool, environment: [String: String], colors: Bool
  ) {
    #expect((TerminalStyle(isTerminal: isTerminal, environment: environment) == .colored) == colors)
  }

  @Test(arguments: ["", String(repeating: "x", count: 2332), String(repeating: "ü", count: 1166)])
  func `a text that does not fit into a symbol is bad data`(text: String) {
    let error = #expect(throws: ToolError.self) { try TerminalQRCode(text) }
    #expect(error?.status == .data)
  }

  @Test func `neither a description nor a dump draws the symbol`() throws {
    let code = try TerminalQRCode(Seed.uri)
    var dumped = ""
    dump(code, to: &dumped)
    for text in [dumped, "\(code)", String(reflecting: code)] {
      #expect(!text.contains("█") && !text.contains(Seed.sha1) && !text.contains("otpauth"))
    }
  }

  @Test func `uri build prints the symbol after the URI, without escape sequences in a pipe`() throws {
    let options = "uri build --secret \(Seed.sha1) --account alice --issuer Example"
    let run = try otp("\(options) --qr", environment: ["TERM": "xterm-256color"])
    #expect(run.status == 0 && run.error.isEmpty && !run.output.contains("\u{1B}"))
    let uri = try #require(run.lines.first)
    #expect(try otp(options).output == uri + "\n")
    #expect(try Array(run.lines.dropFirst()) == TerminalQRCode(uri).lines(in: .plain))
  }

  @Test func `JSON leaves out the symbol`() throws {
    let options = "uri build --secret \(Seed.sha1) --account alice --json"
    let run = try otp("\(options) --qr")
    #expect(try run.status == 0 && run.output == otp(options).output)
  }
}

/// Half blocks, read back as modules.
private struct Drawing {
  let width: Int
  var height: Int { rows.count }
  private let rows: [[Bool]]

  /// Reads lines; `nil` if they are not a rectangle of blocks.
  init?(_ lines: [String]) {
    var rows: [[Bool]] = []
    for line in lines {
      var upper: [Bool] = []
      var lower: [Bool] = []
      for character in line {
        guard let halves = ["█": (false, false), "▀": (false, true), "▄": (true, false), " ": (true, true)][character]
        else { return nil }
        upper.append(halves.0)
        lower.append(halves.1)
      }
      rows += [upper, lower]
    }
    guard let width = rows.first?.count, rows.allSatisfy({ $0.count == width }) else { return nil }
    self.width = width
    self.rows = rows
  }

  func isDark(_ row: Int, _ column: Int) -> Bool { rows[row][column] }

  /// Whether there is a finder pattern with its top left corner here: a dark ring, a light ring, and a dark square of
  /// three.
  func hasFinder(_ top: Int, _ left: Int) -> Bool {
    (0..<7).allSatisfy { row in
      (0..<7).allSatisfy { column in
        let ring = max(abs(row - 3), abs(column - 3))
        return isDark(top + row, left + column) == (ring != 2)
      }
    }
  }
}
