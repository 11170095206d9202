import Foundation
import Keyring

@testable import MultiFactor

/// A clock that stands still until a test moves it.
final class TestClock: Sendable {
  private let current: Locked<Date>

  init(_ unixTime: TimeInterval = 1_700_000_000) { current = Locked(Date(timeIntervalSince1970: unixTime)) }

  var now: Date {
    get { current.withLock { $0 } }
    set { current.withLock { $0 = newValue } }
  }

  func advance(by seconds: TimeInterval) { current.withLock { $0.addTimeInterval(seconds) } }
}
