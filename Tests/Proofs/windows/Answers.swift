/// Answers questions, one per line, by the engine's own functions, so that they can be compared with their formulas.
///
/// Compiled together with the sources in question, since most of these functions are internal. Each line is the name of
/// a question and numbers.
@main
struct Answers {
  static func main() {
    while let line = readLine() {
      let words = line.split(separator: " ").map(String.init)
      let answer = Question(numbers: words.dropFirst().map { Int128($0) ?? 0 }).answer(to: words[0])
      print(answer ?? "none")
    }
  }
}

/// The secret's part of a verification, which these answers do not need.
package struct KeyMaterial {
  func scanTruncatedValues(from: UInt64, count: Int, _: (Int, UInt32) -> Void) throws(OTPError) {}

  static func withTemporary<R>(
    of: Span<UInt8>, _: HashAlgorithm, _: HMACBackend?, _ body: (KeyMaterial) throws(OTPError) -> R
  ) throws(OTPError) -> R { try body(KeyMaterial()) }
}

package enum HashAlgorithm { case none }
package enum HMACBackend { case none }

/// The part of a record that its formulas need.
struct Question {
  let numbers: [Int128]

  private func signed(_ index: Int) -> Int64 { Int64(numbers[index]) }
  private func unsigned(_ index: Int) -> UInt64 { UInt64(numbers[index]) }

  func answer(to name: String) -> String? {
    switch name {
    case "step": step
    case "window":
      (try? VerificationWindow(behind: Int(numbers[0]), ahead: Int(numbers[1]))).map { window in
        let steps = window.steps(around: unsigned(2))
        return "\(steps.lowerBound) \(steps.upperBound)"
      }
    case "totp": totp
    case "hotp": hotp
    case "multiple": "\(bit(digits(0).multiples.contain(UInt32(numbers[1]))))"
    case "masks": masks
    case "decode": decoded
    case "encode": encoded
    case "shifted":
      (try? TimeStep(period: signed(0), t0: signed(1))).map { timeStep in
        "\(FactorRecord.shifted(signed(2), by: Int(numbers[3]), timeStep))"
      }
    default: nil
    }
  }

  private var step: String? {
    guard let timeStep = try? TimeStep(period: signed(0), t0: signed(1)),
      let number = try? timeStep.number(at: signed(2)), let rest = try? timeStep.secondsRemaining(at: signed(2))
    else { return nil }
    return "\(number) \(rest)"
  }

  /// Sides, current step, last accepted step or -1, digits, code, and the truncated values of the steps.
  private var totp: String? {
    let after = numbers[3] < 0 ? nil : unsigned(3)
    guard let code, let timeStep = try? TimeStep(period: 1, t0: 0),
      let window = try? VerificationWindow(behind: Int(numbers[0]), ahead: Int(numbers[1])),
      let task = try? VerificationTask(
        code, digits: code.digits, at: signed(2), timeStep, window: window, after: after)
    else { return nil }
    return outcome(of: task)
  }

  /// Counter, look-ahead, two that are ignored, digits, code, and the truncated values.
  private var hotp: String? {
    guard let code,
      let task = try? VerificationTask(code, digits: code.digits, counter: unsigned(0), lookAhead: Int(numbers[1]))
    else { return nil }
    return outcome(of: task)
  }

  private func digits(_ index: Int) -> OTPCode.Digits { OTPCode.Digits(rawValue: Int(numbers[index])) ?? .six }

  private var code: SubmittedCode? {
    let text = String(Int(numbers[5]))
    let zeros = String(repeating: "0", count: max(0, Int(numbers[4]) - text.count))
    return try? SubmittedCode(zeros + text, digits: digits(4))
  }

  private func outcome(of task: VerificationTask) -> String {
    var scan = task.newScan
    let values = numbers[6...]
    for index in 0..<task.count {
      task.compare(UInt32(values[values.startIndex + index % values.count]), at: index, into: &scan)
    }
    let name =
      switch task.verification(of: scan) {
      case .accepted(let step, let offset): "accepted \(step) \(offset)"
      case .replayed: "replayed"
      case .rejected: "rejected"
      }
    return "\(task.first) \(task.count) \(name)"
  }

  private func bit(_ mask: Mask) -> Int { mask.declassified ? 1 : 0 }

  private var masks: String {
    let (left, right) = (UInt32(numbers[0]), UInt32(numbers[1]))
    let (low, high, byte) = (UInt8(numbers[2]), UInt8(numbers[3]), UInt8(numbers[4]))
    return "\(bit(.equal(left, right))) \(bit(.lessOrEqual(left, right))) "
      + (low <= high ? "\(bit(.contains(low...high, byte)))" : "-")
  }

  private var decoded: String? {
    let text = numbers[1...8].map { UInt8($0) }
    let characters = Base32Group.load(text.span, at: 0)
    return Base32Group(characters: characters, strict: numbers[0] == 1).map { group in
      written(5) { unsafe group.writeBytes(to: $0, at: 0) }
    }
  }

  private var encoded: String {
    let bytes = numbers[0...4].map { UInt8($0) }
    return written(8) { unsafe Base32Group(bytes: bytes.span, at: 0).writeCharacters(to: $0, at: 0) }
  }

  private func written(_ count: Int, _ write: (UnsafeMutableBufferPointer<UInt8>) -> Void) -> String {
    let bytes = unsafe [UInt8](unsafeUninitializedCapacity: count) { buffer, written in
      unsafe write(buffer)
      written = count
    }
    return bytes.map(String.init).joined(separator: " ")
  }
}
