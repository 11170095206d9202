import OTP

@testable import MultiFactor

// The step or counter that a code belongs to.
extension RuleModel {
  /// The latest step or the earliest counter with this code that was not accepted before: at most two steps from the
  /// device's clock, or ten counters ahead.
  func place(of code: String, in device: Device) -> UInt64? {
    switch device.codes {
    case .byTime(let totp):
      let current = UInt64(Int64(step(of: device)) + device.ahead)
      return (current - 2...current + 2).last { step in
        step >= device.next && (try? totp.code(forStep: step).description) == code
      }
    case .byCounter(let hotp):
      return (device.next...device.next + 10).first { (try? hotp.code(counter: $0).description) == code }
    case .byMessage: return nil
    }
  }

  /// The last step or counter of the earliest run with these codes, none of it accepted before: at most 1,500 steps
  /// from the clock, or beginning at most a hundred counters ahead.
  func run(of codes: [String], in device: Device) -> UInt64? {
    let places: ClosedRange<UInt64>
    let shown: [OTPCode]?
    switch device.codes {
    case .byTime(let totp):
      let step = step(of: device)
      places = step - 1500...step + 1500
      shown = try? totp.codes(steps: places)
    case .byCounter(let hotp):
      places = device.next...device.next + 99 + UInt64(codes.count)
      shown = try? hotp.codes(counters: places)
    case .byMessage: return nil
    }
    let texts = (shown ?? []).map(\.description)
    let start = texts.indices.dropLast(codes.count - 1).first { index in
      places.lowerBound + UInt64(index) >= device.next && Array(texts[index..<index + codes.count]) == codes
    }
    return start.map { places.lowerBound + UInt64($0 + codes.count - 1) }
  }
}
