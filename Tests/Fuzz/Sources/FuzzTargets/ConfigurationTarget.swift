import Foundation
import MultiFactor
import MultiFactorFirebase
import MultiFactorPhone

func checkConfiguration(_ input: Span<UInt8>) throws(Violation) {
  let text = input.array
  let configuration: MultiFactorConfiguration
  do throws(ConfigurationError) {
    configuration = try MultiFactorConfiguration(json: text)
  } catch {
    return try checkText(of: error)
  }
  guard let written = try? JSONEncoder().encode(configuration) else {
    throw Violation(rule: "a configuration that was read can be written")
  }
  try require(
    (try? MultiFactorConfiguration(json: written)) == configuration, "a written configuration is read back the same")
  try checkRanges(configuration, written)
}

private func checkRanges(_ configuration: MultiFactorConfiguration, _ written: Data) throws(Violation) {
  try require(configuration.providerConfigs.count <= 2, "a provider is configured at most once")
  for config in configuration.providerConfigs {
    switch config.factorID {
    case TOTPMultiFactorID:
      try require(config.adjacentIntervals.map { 0...10 ~= $0 } ?? false, "adjacentIntervals is in its range")
    case PhoneMultiFactorID:
      let numbers =
        (try? JSONDecoder().decode(Written.self, from: written))?.signIn?.phoneNumber.testPhoneNumbers ?? [:]
      try require(numbers.count <= 10, "there are at most ten test numbers")
      for (number, code) in numbers {
        let isE164 = number.utf8.first == 0x2B && (8...16).contains(number.utf8.count) && isNumber(number.dropFirst())
        try require(isE164 && code.utf8.count == 6 && isNumber(code[...]), "test numbers are E.164, codes six digits")
      }
    default: try require(false, "every kind of the format is checked here")
    }
  }
}

/// Of a written configuration, what the library does not show.
private struct Written: Decodable {
  struct SignIn: Decodable { let phoneNumber: PhoneNumber }
  struct PhoneNumber: Decodable { let testPhoneNumbers: [String: String] }
  let signIn: SignIn?
}

private func isNumber(_ text: Substring) -> Bool { text.utf8.allSatisfy { (0x30...0x39).contains($0) } }

/// A part is a path of names and indices: apart from indices, it contains no digit, sign or symbol of the input.
private func checkText(of error: ConfigurationError) throws(Violation) {
  let isPath = error.part.utf8.allSatisfy { byte in
    (0x61...0x7A).contains(byte | 0x20) || (0x30...0x39).contains(byte) || [0x2E, 0x5B, 0x5D].contains(byte)
  }
  try require(isPath && !error.part.isEmpty, "an error's part is a path")
  // Digits occur only between brackets.
  var isInBrackets = false
  for byte in error.part.utf8 {
    switch byte {
    case 0x5B: isInBrackets = true
    case 0x5D: isInBrackets = false
    case 0x30...0x39: try require(isInBrackets, "a part contains no digits of the input")
    default: continue
    }
  }
  try require(
    error.description == "\(error.kind.rawValue): \(error.part)", "an error shows its kind and part, and nothing else")
}
