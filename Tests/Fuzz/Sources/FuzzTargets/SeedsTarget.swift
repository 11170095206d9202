import OTP
import OTPSeeds

/// Reads the input in the format that its first byte selects, and checks every key and refusal.
func checkSeeds(_ input: Span<UInt8>) throws(Violation) {
  guard let first = input.array.first else { return }
  let rest = Array(input.array.dropFirst())
  guard let key = try? OTPSecret(bytes: [UInt8](repeating: 0x41, count: 16)),
    let columns = try? SeedColumns([.secret: "s", .serial: "n", .digits: "d"], encoding: .hex, kind: .hotp(counter: 0))
  else { throw Violation(rule: "a key and columns can be made") }
  let formats: [SeedFormat] = [
    .pskc(), .pskc(.preShared(key)), .csv(.entra), .csv(columns), .yubico(digits: .six), .migration, .uris,
    .csv(.complete), .usersOATH,
  ]
  let format = formats[Int(first) % formats.count]
  let seeds = try read(rest, as: format)
  for seed in seeds {
    try require(seed.line >= 1, "a key has a line")
    try require(String(describing: seed) == "Seed(redacted)", "a key shows nothing")
    if let uri = try? seed.uri() { try require(Seed(uri).secret == seed.secret, "a URI has the key's secret") }
  }
  try checkWriter(seeds)
}

/// Reads a whole file, and checks the description of each refusal.
private func read(_ bytes: [UInt8], as format: SeedFormat) throws(Violation) -> [Seed] {
  var reader = SeedReader(format, from: SeedSource(bytes: bytes))
  var seeds: [Seed] = []
  while true {
    let refusal: SeedRefusal
    do throws(SeedRefusal) {
      guard let record = try reader.next() else { return seeds }
      switch record {
      case .seed(let seed):
        seeds.append(seed)
        continue
      case .refused(let reason): refusal = reason
      }
    } catch {
      refusal = error
    }
    let place = refusal.line > 0 ? "line \(refusal.line): " : ""
    let column = refusal.column.map { " (\($0.rawValue))" } ?? ""
    let text = place + refusal.field.rawValue + column + ": " + refusal.reason.rawValue
    try require(refusal.description == text, "a refusal does not repeat its input")
  }
}

/// Writes keys, and checks that they are read back unchanged.
private func checkWriter(_ seeds: [Seed]) throws(Violation) {
  guard let secret = try? OTPSecret(bytes: [UInt8](repeating: 0x42, count: 32)),
    let writer = try? PSKCWriter(.preShared(secret))
  else { throw Violation(rule: "a writer can be made") }
  for seed in seeds.prefix(3) {
    guard let package = try? writer.keyPackage(encrypting: seed) else { continue }
    let text = writer.beginning + package + writer.end
    let again = try read(Array(text.utf8), as: .pskc(.preShared(secret)))
    try require(again.count == 1, "what is written can be read")
    try require(again[0].secret == seed.secret && again[0].digits == seed.digits, "what is written is read as the same")
  }
}
