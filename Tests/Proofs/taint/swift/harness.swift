// What the sources under test need of the engine, and functions that call them with secrets in known places.

struct Digits {
  let multiples: Multiples
}

struct SubmittedCode {
  let digits: Digits
  let number: UInt32
}

/// The position of the latest or earliest match in the first half, -1 if only the second half has one, -2 if none has.
@_cdecl("swift_scan")
public func scan(_ values: UnsafePointer<UInt32>, _ count: Int, _ number: UInt32, _ takesLatest: Bool) -> Int {
  let code = SubmittedCode(digits: Digits(multiples: .ofMillion), number: number)
  var scan = MatchScan(for: code, takesLatest: takesLatest)
  for index in 0..<count {
    scan.record(scan.matches(values[index]), at: index, isLive: index < count / 2)
  }
  switch scan.outcome {
  case .live(let index): return index
  case .spent: return -1
  case .none: return -2
  }
}

/// Decodes eight characters to five bytes, unless there are others than symbols.
@_cdecl("swift_decode_group")
public func decodeGroup(
  _ text: UnsafePointer<UInt8>, _ isStrict: Bool, _ output: UnsafeMutablePointer<UInt8>
) -> Bool {
  let characters = Base32Group.load(Span(_unsafeElements: UnsafeBufferPointer(start: text, count: 8)), at: 0)
  guard let group = Base32Group(characters: characters, strict: isStrict) else { return false }
  group.writeBytes(to: UnsafeMutableBufferPointer(start: output, count: 5), at: 0)
  return true
}

/// Encodes five bytes to eight characters.
@_cdecl("swift_encode_group")
public func encodeGroup(_ bytes: UnsafePointer<UInt8>, _ output: UnsafeMutablePointer<UInt8>) {
  let group = Base32Group(bytes: Span(_unsafeElements: UnsafeBufferPointer(start: bytes, count: 5)), at: 0)
  group.writeCharacters(to: UnsafeMutableBufferPointer(start: output, count: 8), at: 0)
}

/// Reduces one value each to six, seven and eight digits, and divides one by ten.
@_cdecl("swift_reduce")
public func reduce(_ values: UnsafePointer<UInt32>, _ output: UnsafeMutablePointer<UInt32>) {
  output[0] = SmallDivisor.million.remainder(of: values[0])
  output[1] = SmallDivisor.tenMillion.remainder(of: values[1])
  output[2] = SmallDivisor.hundredMillion.remainder(of: values[2])
  output[3] = SmallDivisor.ten.quotient(of: values[3])
}
