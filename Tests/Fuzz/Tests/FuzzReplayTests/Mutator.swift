/// Makes inputs from a corpus by small changes, the same for the same seed.
struct Mutator {
  private let corpus: [[UInt8]]
  private var state: UInt64

  init(seed: UInt64, corpus: [[UInt8]]) {
    self.corpus = corpus
    state = seed
  }

  mutating func next() -> [UInt8] {
    guard !corpus.isEmpty else { return [] }
    var input = corpus[number(below: corpus.count)]
    for _ in 0...number(below: 4) { change(&input) }
    return input
  }

  private mutating func change(_ input: inout [UInt8]) {
    let place = number(below: input.count + 1)
    let rest = input.count - place
    switch number(below: 7) {
    case 0: input.insert(byte(), at: place)
    case 1: input.removeSubrange(place..<place + number(below: min(rest, 8) + 1))
    case 2 where rest > 0: input[place] ^= 1 << UInt8(number(below: 8))
    case 3 where rest > 0: input[place] = byte()
    case 4: input.insert(contentsOf: input[place..<place + number(below: min(rest, 64) + 1)], at: place)
    case 5: input.removeSubrange(place...)
    default:
      let other = corpus[number(below: corpus.count)]
      input.replaceSubrange(place..., with: other.suffix(number(below: other.count + 1)))
    }
  }

  /// Any byte, about half of the time one with a meaning to a parser.
  private mutating func byte() -> UInt8 {
    let meaningful = Array("=%&:/?#+- 0189AZaz{}[]\",\0\u{7F}".utf8) + [0x80, 0xC3, 0xED, 0xF4, 0xFF]
    let any = number(below: 512)
    return any < 256 ? UInt8(any) : meaningful[any % meaningful.count]
  }

  /// SplitMix64.
  private mutating func number(below limit: Int) -> Int {
    state &+= 0x9E37_79B9_7F4A_7C15
    var word = state
    word = (word ^ word >> 30) &* 0xBF58_476D_1CE4_E5B9
    word = (word ^ word >> 27) &* 0x94D0_49BB_1331_11EB
    return Int((word ^ word >> 31) % UInt64(limit))
  }
}
