import Foundation
import MultiFactor
import OTP

// The SDK's style of names; this project's convention would start it in lower case.
// swift-format-ignore: AlwaysUseLowerCamelCase
/// The second factor in the claims of a sign-in from a remembered browser.
public let RememberedBrowserMultiFactorID = "remembered"

/// Remembers browsers: for a time after a second factor was verified in one, its sign-ins need only the first factor.
///
/// Nothing is remembered unless this is passed to a `MultiFactorAuth`, and
/// `MultiFactorConfiguration.ProviderConfig.rememberedBrowsers(state:)` is configured. A user can have ten; one more
/// ends the least recently used one.
public struct RememberedBrowsers: ExternalFactor {
  /// The longest time that a browser can be remembered: 90 days.
  public static let maximumLifetime = Duration.seconds(90 * 86_400)
  /// How many browsers of a user are remembered.
  public static let maximumCount = 10

  /// Always ``RememberedBrowserMultiFactorID``.
  public let factorID = RememberedBrowserMultiFactorID
  let lifetime: TimeInterval

  /// - Parameter lifetime: How long a browser is remembered after the verification: more than 0, and at most
  ///   ``maximumLifetime``; 30 days by default.
  /// - Throws: `ConfigurationError` if it is out of range.
  public init(lifetime: Duration = .seconds(30 * 86_400)) throws(ConfigurationError) {
    guard lifetime > .zero, lifetime <= Self.maximumLifetime else { throw .outOfRange("lifetime") }
    self.lifetime = lifetime.timeInterval
  }

  /// Refuses: a browser is not a factor that a resolver offers.
  public func factorUID(of answer: ExternalAnswer, in session: MultiFactorSession) throws(AuthError) -> String? {
    throw AuthError(.multiFactorInfoNotFound)
  }

  /// Refuses: see ``factorUID(of:in:)``.
  public func verify(
    _ answer: ExternalAnswer, of factor: ExternalFactorInfo?, in session: MultiFactorSession
  ) -> ExternalVerdict { .refused(.notFound) }
}

extension MultiFactorConfiguration.ProviderConfig {
  /// Browsers that ``RememberedBrowsers`` remembers.
  ///
  /// - Parameter state: Whether they are remembered. If not, those that are remembered must verify a factor until it is
  ///   enabled again.
  public static func rememberedBrowsers(state: MultiFactorConfiguration.State = .enabled) -> Self {
    .external(RememberedBrowserMultiFactorID, state: state)
  }
}

/// A browser in which a user's second factor was verified, and which is remembered. Its description shows nothing.
public struct RememberedBrowser: Sendable, Hashable {
  /// Its name, to forget it by: 32 hexadecimal digits.
  public let id: String
  /// What the host calls it, such as `Firefox on Linux`.
  public let name: String?
  /// Where it was used last, according to the host: an IP address, or a place.
  public let address: String?
  /// When the second factor was verified in it.
  public let verificationDate: Date
  /// When it signed in last, or was remembered.
  public let lastUseDate: Date
  /// When it is no longer remembered.
  public let expirationDate: Date
}

extension RememberedBrowser: Redacted {}
