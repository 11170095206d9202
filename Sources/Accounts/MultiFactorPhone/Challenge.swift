import Foundation
import Keyring
import MultiFactor

/// A code that was sent by text message, and its purpose.
struct Challenge: Sendable, Equatable {
  /// What an answer to a challenge is for.
  enum Purpose: Sendable, Equatable {
    /// That the user has the number to be enrolled.
    case enrollment
    /// The factor of this name.
    case signIn(factorUID: String)

    init(factorUID: String?) { self = factorUID.map(Self.signIn) ?? .enrollment }
  }

  /// What an answer is checked against.
  enum Answer: Sendable, Equatable {
    /// The keyed hash of our code.
    case code(hash: [UInt8])
    /// The provider, by its name for the challenge.
    case provider(reference: String)
  }

  /// The challenge's name, random.
  let id: String
  let purpose: Purpose
  let number: PhoneNumber
  /// The user's generation when it was requested.
  let generation: UInt64
  /// When it expires, by the document's time.
  var expiry: Date
  /// The same by the clock of the server that sends it: the document's time may be ahead, and then stands still.
  let end: Date
  /// How many times it was answered.
  var tries = 0
  /// `nil` until its message was handed over: until then, it cannot be answered.
  var answer: Answer?

  /// How many answers one challenge takes.
  static let maximumTries = 5
  /// How long an expired challenge is kept, in seconds, so that audit events can distinguish a late answer from a wrong
  /// one.
  static let keptAfterExpiry: TimeInterval = 86_400
  /// How many are kept for one user: one more replaces the oldest.
  static let maximumCount = 16
}
