import Foundation
import OTPVectors
import SharedFixtures
import Testing

@Suite struct MalformedTextTests {
  @Test(arguments: [
    "", " ", "{", "}", "[]", "null", "7", "\"", "\"otp-vectors/2\"", "{}x", "{\"a\"", "{\"a\":}", "{,}", "]", "}}}}",
    "{\"", "{\"\\",
    "[1,2", "nan", "--1", "{\"format\": \"otp-vectors/2\",}", "\\", "{\"a\\\":1}", "\u{0}", "{\u{0}\"\u{0}a\u{0}",
  ])
  func `a text that is not a JSON object is refused`(text: String) {
    #expect(SampleFile.refusal(of: text) != nil)
  }

  @Test(arguments: ["x", "{}", ",", "]", "}", "\u{0}", "/* */", "// x"])
  func `anything after the file's object is refused`(garbage: String) {
    #expect(SampleFile.refusal(of: SampleFile.text + garbage) != nil)
  }

  @Test(arguments: [",", ",\n ", " , "]) func `a comma after the last element is refused`(comma: String) throws {
    for end in ["}", "]"] {
      var text = SampleFile.text
      let place = try #require(text.lastIndex(of: Character(end)))
      text.insert(contentsOf: comma, at: place)
      #expect(SampleFile.refusal(of: text)?.hasSuffix("not well-formed JSON") == true)
    }
  }

  @Test func `white space around the file's object is ignored`() throws {
    #expect(try SampleFile.read("\r\n\t " + SampleFile.text + "\n\n").testCount == 29)
  }

  @Test(arguments: ["'test'", "test", "\"te\u{0}st\"", "\"te\nst\"", #""\ud800""#, #""\x""#, #""\u12""#])
  func `a text that JSON does not allow is refused`(source: String) throws {
    #expect(SampleFile.refusal(of: try SampleFile.text(replacing: #""test""#, with: source)) != nil)
  }

  @Test func `other encodings and malformed UTF-8 are refused`() {
    let good = Array(SampleFile.text.utf8)
    #expect(SampleFile.refusal(of: [0xEF, 0xBB, 0xBF] + good) == "begins with a byte order mark")
    #expect(SampleFile.refusal(of: good.dropLast() + [0xFF]) == "not UTF-8")
    #expect(SampleFile.refusal(of: [0xFF, 0xFE] + good) == "not UTF-8")
    for encoding in [String.Encoding.utf16LittleEndian, .utf16BigEndian, .utf32LittleEndian, .utf32BigEndian, .utf16] {
      #expect(SampleFile.refusal(of: Array(SampleFile.text.data(using: encoding) ?? Data())) != nil)
    }
  }

  @Test(arguments: ["[", "{\"a\":", "[{\"a\":"])
  func `deep nesting is refused`(level: String) throws {
    for depth in [20, 100_000] {
      let nested = String(repeating: level, count: depth)
      #expect(SampleFile.refusal(of: nested)?.hasSuffix("nested too deeply") == true)
      let text = try SampleFile.text(replacing: #""359152""#, with: nested)
      #expect(SampleFile.refusal(of: text)?.hasPrefix("group 8 (uri-code), test 2: code") == true)
    }
  }

  @Test func `a file over 16 MB is refused`() {
    let long = SampleFile.text + String(repeating: " ", count: VectorFile.maximumByteCount)
    #expect(SampleFile.refusal(of: long) == "longer than 16 MB")
    #expect(throws: VectorFileError.self) { try VectorFile(json: repeatElement(0x20, count: .max)) }
  }

  @Test func `texts with many names, elements or digits are read in bounded time`() {
    let names = "{" + (0..<50_000).map { "\"\($0)\":0," }.joined() + "\"x\":0}"
    #expect(SampleFile.refusal(of: names) != nil)
    let zeros = SampleFile.text(groups: String(repeating: "0,", count: 200_000) + "0")
    #expect(SampleFile.refusal(of: zeros) == "group 1: not an object")
    let digits = SampleFile.text(groups: String(repeating: "9", count: 1_000_000))
    #expect(SampleFile.refusal(of: digits) == "group 1: not an object")
  }

  @Test(arguments: 0..<8)
  func `no damaged file crashes the reader or the runner`(seed: Int) {
    var generator = SeededGenerator(seed: UInt64(seed))
    let good = Array(SampleFile.text.utf8)
    let tokens = ["{", "}", "[", "]", ",", ":", "\"", "\\", "0", "-", "1e9", "null", "true", "\u{0}", "\"id\"", "é"].map
    { Array($0.utf8) }
    for _ in 0..<120 {
      var text = good
      for _ in 0...Int.random(in: 0..<4, using: &generator) {
        let start = Int.random(in: 0..<text.count, using: &generator)
        let end = min(text.count, start + Int.random(in: 0..<4, using: &generator))
        text.replaceSubrange(start..<end, with: tokens.randomElement(using: &generator) ?? [])
      }
      if let file = try? VectorFile(json: text) { #expect(file.run(on: SampleFile.backends).tallies.count > 1) }
    }
  }
}
