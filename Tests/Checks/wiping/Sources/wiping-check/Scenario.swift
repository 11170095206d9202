import CMemoryProbe

/// One use of the engine with a secret of its own.
struct Scenario {
  let name: String
  /// The secret's size in bytes.
  var byteCount = 20
  /// Whether key material must be found afterwards: the scenario keeps some alive, or loses some on purpose.
  var leavesTraces = false
  /// Uses the secret. What it returns is released before memory is searched, unless it leaves traces.
  let use: (Material) throws -> Any?

  /// What was wrong, or `nil`.
  func outcome(seed: UInt64) throws -> String? {
    guard probe_prepare(seed, byteCount) > 0 else { return "no needles" }
    var kept: Any? = try useInFrameOfItsOwn(Material(seed: seed, byteCount: byteCount))
    if !leavesTraces { kept = nil }
    var where_ = [CChar](repeating: 0, count: 512)
    let count = unsafe probe_count(&where_, where_.count)
    withExtendedLifetime(kept) {}
    if leavesTraces { return count > 0 ? nil : "what was planted was not found" }
    guard count > 0 else { return nil }
    let places = where_.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
    return "found in \(count) places: \(String(decoding: places, as: UTF8.self))"
  }

  /// A frame below the search's, so that what the use leaves on the stack is still there to be found.
  @inline(never) private func useInFrameOfItsOwn(_ material: Material) throws -> Any? { try use(material) }
}

/// A scenario's secret, which exists only while it is lent.
struct Material {
  let seed: UInt64
  let byteCount: Int

  /// Lends the secret's bytes.
  func withSecret<R>(_ body: (Span<UInt8>) throws -> R) throws -> R {
    try unsafe lend(byteCount, { bytes in unsafe probe_write_secret(seed, bytes, byteCount) }, body)
  }

  /// Lends the secret's base32 text, between other texts.
  func withBase32<R>(before: String = "", after: String = "", _ body: (Span<UInt8>) throws -> R) throws -> R {
    let size = (byteCount * 8 + 4) / 5
    let count = before.utf8.count + size + after.utf8.count
    return try unsafe lend(
      count,
      { bytes in
        for (index, byte) in before.utf8.enumerated() { unsafe bytes[index] = byte }
        unsafe probe_write_base32(seed, bytes + before.utf8.count, byteCount)
        for (index, byte) in after.utf8.enumerated() { unsafe bytes[before.utf8.count + size + index] = byte }
      }, body)
  }

  private func lend<R>(
    _ count: Int, _ fill: (UnsafeMutablePointer<UInt8>) -> Void, _ body: (Span<UInt8>) throws -> R
  ) throws -> R {
    let bytes = UnsafeMutablePointer<UInt8>.allocate(capacity: count)
    unsafe fill(bytes)
    defer {
      unsafe probe_wipe(bytes, count)
      unsafe bytes.deallocate()
    }
    return try unsafe body(Span(_unsafeStart: bytes, count: count))
  }
}
