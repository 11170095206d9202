import Foundation
import MultiFactor

func checkConfiguration(_ input: Span<UInt8>) throws(Violation) {
  let text = input.array
  let configuration: MultiFactorConfiguration
  do throws(ConfigurationError) {
    configuration = try MultiFactorConfiguration(json: text)
  } catch {
    return try checkText(of: error)
  }
  guard let written = try? JSONEncoder().encode(configuration) else {
    throw Violation(rule: "what is read can be written")
  }
  try require(
    (try? MultiFactorConfiguration(json: written)) == configuration, "what is written is read as the same")
  try require(
    (try? JSONDecoder().decode(MultiFactorConfiguration.self, from: Data(text))) == configuration,
    "what is read strictly is read by any decoder as the same")
  try checkRanges(configuration)
}

private func checkRanges(_ configuration: MultiFactorConfiguration) throws(Violation) {
  try require(configuration.providerConfigs.count <= 2, "a provider is configured once")
  for config in configuration.providerConfigs {
    switch config.provider {
    case .totp(let provider):
      try require(0...10 ~= provider.adjacentIntervals, "adjacentIntervals is in its range")
    case .phone(let provider):
      try require(provider.testPhoneNumbers.count <= 10, "there are ten test numbers at most")
      try require(
        provider.testPhoneNumbers.allSatisfy { number, code in
          number.utf8.first == 0x2B && (8...16).contains(number.utf8.count) && isNumber(number.dropFirst())
            && code.utf8.count == 6 && isNumber(code[...])
        }, "test numbers are E.164, and their codes six digits")
    @unknown default: try require(false, "a provider is of a kind that is looked at here")
    }
  }
}

private func isNumber(_ text: Substring) -> Bool { text.utf8.allSatisfy { (0x30...0x39).contains($0) } }

/// A part is a path of letters and places: there is no digit, sign or symbol of an input in it, but for places.
private func checkText(of error: ConfigurationError) throws(Violation) {
  let isPath = error.part.utf8.allSatisfy { byte in
    (0x61...0x7A).contains(byte | 0x20) || (0x30...0x39).contains(byte) || [0x2E, 0x5B, 0x5D].contains(byte)
  }
  try require(isPath && !error.part.isEmpty, "an error's part is a path")
  // A digit stands between brackets alone.
  var isInBrackets = false
  for byte in error.part.utf8 {
    switch byte {
    case 0x5B: isInBrackets = true
    case 0x5D: isInBrackets = false
    case 0x30...0x39: try require(isInBrackets, "a part has no digits of an input")
    default: continue
    }
  }
  try require(
    error.description == "\(error.kind.rawValue): \(error.part)", "an error says its kind and part, and no more")
}
