import Testing

@testable import OTPTool

@Suite struct TerminalQRCodeTests {
  /// The capacities of the versions in byte mode at level M, from the standard's table.
  @Test(arguments: [(14, 21), (15, 25), (26, 25), (27, 29), (62, 33), (63, 37), (213, 57), (214, 61), (2331, 177)])
  func `the smallest symbol that holds the text at level M is used`(byteCount: Int, size: Int) throws {
    // Digits would take less room in numeric mode.
    let lines = try TerminalQRCode(String(repeating: "1", count: byteCount)).lines(in: .plain)
    #expect(lines.first?.count == size + 8)
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
    #expect((TerminalStyle(isTerminal: isTerminal) { environment[$0] } == .colored) == colors)
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

  @Test func `JSON leaves out the symbol`() throws {
    let options = "uri build --secret \(Seed.sha1) --account alice --json"
    let run = try otp("\(options) --qr")
    #expect(try run.status == 0 && run.output == otp(options).output)
  }
}
