import Keyring
import MultiFactor
@_spi(Fuzzing) import MultiFactorOperations
@_spi(Fuzzing) import MultiFactorPhone

private let kinds = TokenCodec.Kind.own + TokenCodec.Kind.phone

/// The first byte says what the rest is: a text that is tried as a token of each kind, or the payload of a token or a
/// document of one kind, sealed as a server would.
func checkToken(_ input: Span<UInt8>) throws(Violation) {
  guard let first = input.array.first else { return }
  let rest = Array(input.array.dropFirst())
  // Made each time, like the key of the submitted code's target.
  guard let keyring = try? Keyring() else { throw Violation(rule: "a keyring can be made") }
  let codec = TokenCodec(keyring: keyring)
  if first < kinds.count {
    try checkPayload(rest, as: kinds[Int(first)], codec)
  } else {
    try checkText(String(decoding: rest, as: UTF8.self), codec)
  }
}

/// Whether an input is the valid payload of a token or a document.
public func isValidPayload(_ input: [UInt8]) -> Bool {
  guard let first = input.first, first < kinds.count, let keyring = try? Keyring() else { return false }
  let (codec, kind) = (TokenCodec(keyring: keyring), kinds[Int(first)])
  return (try? codec.rewritten(codec.token(holding: Array(input.dropFirst()), as: kind), as: kind)) != nil
}

private func checkText(_ text: String, _ codec: TokenCodec) throws(Violation) {
  for kind in kinds {
    try require(
      failure { () throws(KeyringError) in try codec.rewritten(text, as: kind) } != nil, "no text is a valid token")
  }
}

private func checkPayload(_ payload: [UInt8], as kind: TokenCodec.Kind, _ codec: TokenCodec) throws(Violation) {
  guard case .success(let token) = result({ () throws(KeyringError) in try codec.token(holding: payload, as: kind) })
  else { return try require(payload.count > 2900, "a payload that is not too long can be sealed") }
  try require(token.utf8.allSatisfy(isURLSafe), "a token is URL-safe")
  for other in kinds where other.name != kind.name {
    let isRefused = failure { () throws(KeyringError) in try codec.rewritten(token, as: other) }?.kind == .notAuthentic
    try require(isRefused, "a token of one kind is refused as any other")
  }
  switch result({ () throws(KeyringError) in try codec.rewritten(token, as: kind) }) {
  case .success(let written):
    try require(written.count == payload.count, "a payload that was read is written with the same length")
    try checkIsStable(written, as: kind, codec)
  case .failure(let error):
    try require(error.kind == .malformed, "an invalid payload is malformed")
    try require(error.description == "keyring: malformed", "an error does not repeat its input")
  }
}

/// Checks that a payload that is read, written and read again is the same, except for times so distant that their
/// milliseconds are not exact, which need another round.
private func checkIsStable(_ written: [UInt8], as kind: TokenCodec.Kind, _ codec: TokenCodec) throws(Violation) {
  var written = written
  for _ in 0..<32 {
    let again = result { () throws(KeyringError) in
      try codec.rewritten(codec.token(holding: written, as: kind), as: kind)
    }
    guard case .success(let bytes) = again else { throw Violation(rule: "a written payload can be read") }
    if bytes == written { return }
    written = bytes
  }
  throw Violation(rule: "a payload that was read and written is read as the same")
}

private func isURLSafe(_ byte: UInt8) -> Bool {
  switch byte {
  case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x5F: true
  default: false
  }
}

private func result<R>(_ work: () throws(KeyringError) -> R) -> Result<R, KeyringError> {
  do throws(KeyringError) { return .success(try work()) } catch { return .failure(error) }
}

/// The error that a closure throws.
private func failure<R>(_ work: () throws(KeyringError) -> R) -> KeyringError? {
  if case .failure(let error) = result(work) { error } else { nil }
}
