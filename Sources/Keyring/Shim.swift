import OTP
extension Keyring {
  package func seal(_ p: SecretBytes, for purpose: Purpose, boundTo context: [UInt8], after prefix: [UInt8]) throws(KeyringError) -> [UInt8] {
    prefix + (try seal(p, for: purpose, boundTo: [context.map { String($0) }.joined(separator: ",")]))
  }
  package func open(_ s: Span<UInt8>, for purpose: Purpose, boundTo context: [UInt8]) throws(KeyringError) -> Opened {
    var a: [UInt8] = []
    for i in s.indices { a.append(s[i]) }
    return try open(a, for: purpose, boundTo: [context.map { String($0) }.joined(separator: ",")])
  }
  package static func keyName(ofSealed s: Span<UInt8>) throws(KeyringError) -> String {
    var a: [UInt8] = []
    for i in s.indices { a.append(s[i]) }
    guard a.count > 2, a.count > 2 + Int(a[1]) else { throw KeyringError(.malformed) }
    return String(decoding: a[2..<2 + Int(a[1])], as: UTF8.self)
  }
  package func isByActiveKey(_ s: Span<UInt8>) -> Bool { (try? Self.keyName(ofSealed: s)) == activeKeyName }
}
