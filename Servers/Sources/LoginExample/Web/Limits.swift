import Foundation
import MultiFactorOperations
import Synchronization

/// The attempts left to each address: a token bucket that fills in a minute.
final class RateLimits: Sendable {
  private struct Bucket: Sendable {
    var tokens: Double
    var date: Date
  }

  private struct State: Sendable {
    var buckets: [[UInt8]: Bucket] = [:]
    var size = 100_000
  }

  private let state = Mutex(State())
  private let perMinute: Double

  init(perMinute: Int) { self.perMinute = Double(perMinute) }

  /// Uses one attempt of an address.
  ///
  /// - Returns: How many seconds there are until the next one, if none is left.
  func take(_ address: String, at now: Date = Date()) -> Int? {
    state.withLock { state in
      if state.buckets.count >= state.size {
        // After a minute, a bucket is full again and need not be kept.
        state.buckets = state.buckets.filter { now.timeIntervalSince($0.value.date) < 60 }
        state.size = max(100_000, 2 * state.buckets.count)
      }
      let network = Self.network(address)
      var bucket = state.buckets[network] ?? Bucket(tokens: perMinute, date: now)
      let elapsed = max(0, now.timeIntervalSince(bucket.date))
      bucket.tokens = min(perMinute, bucket.tokens + elapsed * perMinute / 60)
      bucket.date = now
      defer { state.buckets[network] = bucket }
      guard bucket.tokens >= 1 else { return Int(((1 - bucket.tokens) * 60 / perMinute).rounded(.up)) }
      bucket.tokens -= 1
      return nil
    }
  }

  /// The address that a socket reported or a proxy wrote, possibly with a port: `192.0.2.1:80`, `[2001:db8::1]:80`.
  static func address(in text: some StringProtocol) -> String {
    let text = text.trimmingCharacters(in: .whitespaces)
    let inner = text.hasPrefix("[") ? String(text.dropFirst().prefix { $0 != "]" }) : text
    let parts = inner.split(separator: ":", omittingEmptySubsequences: false)
    if parts.count == 2 { return String(parts[0]) }
    // A dual-stack socket reports an IPv4 address as a mapped one.
    var bytes = [UInt8](repeating: 0, count: 16)
    guard unsafe inet_pton(AF_INET6, inner, &bytes) == 1,
      bytes.prefix(12) == [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF]
    else { return inner }
    return bytes.suffix(4).map(String.init).joined(separator: ".")
  }

  /// The addresses that count as one client: a single IPv4 address, or a /64 network of IPv6.
  private static func network(_ address: String) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: 16)
    guard unsafe inet_pton(AF_INET6, address, &bytes) == 1 else { return Array(address.utf8.prefix(64)) }
    return Array(bytes.prefix(8))
  }
}

/// Whether sign-ins can be served: found out at most once in five seconds, since it takes a write, and anyone may ask.
actor Readiness {
  private let site: Site
  private var latest: (time: ContinuousClock.Instant, isReady: Task<Bool, Never>)?

  init(_ site: Site) { self.site = site }

  var isReady: Bool {
    get async {
      if let latest, ContinuousClock.now - latest.time < .seconds(5) { return await latest.isReady.value }
      let task = Task { [site] in
        let health = await site.auth.health()
        let sessions = try? await site.sessions.store.store.keys(after: nil, limit: 1)
        return health.isReady && sessions != nil
      }
      latest = (.now, task)
      return await task.value
    }
  }
}
