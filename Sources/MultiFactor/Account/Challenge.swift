import Foundation

/// A code that was sent by text message, as a keyed hash, and its purpose.
struct Challenge: Sendable, Equatable {
  /// What a challenge proves.
  enum Purpose: Sendable, Equatable {
    /// That the user has the number to be enrolled.
    case enrollment
    /// The factor of this name.
    case signIn(factorUID: String)
  }

  /// The challenge's name, random.
  let id: String
  let purpose: Purpose
  let number: PhoneNumber
  let codeHash: [UInt8]
  /// The time from which it is no longer valid.
  let expiry: Date
  /// How many times it was answered.
  var tries = 0
  /// Whether its message was handed over to the sender. Until then, it cannot be answered.
  var isActive = false
  /// The provider's name for it, if the provider has generated the code; `nil` if the code is ours.
  var reference: String?

  /// How many answers one challenge takes.
  static let maximumTries = 5
  /// How long an expired challenge is kept, in seconds, so that audit events can distinguish a late answer from a wrong
  /// one.
  static let keptAfterExpiry: TimeInterval = 86_400
  /// How many are kept for one user: one more replaces the oldest.
  static let maximumCount = 16
}

extension Account {
  /// The outcome of answering a challenge.
  enum Answer {
    /// Right: the index of the challenge, which is to be removed once it has served.
    case right(Int)
    case refused(AuditEvent.Reason)
  }

  /// Takes one of a challenge's tries, and checks the answer.
  ///
  /// - Parameter codeHash: The keyed hash of the answer; `nil` if the provider has accepted it, for which a try was
  ///   already taken.
  mutating func answer(
    _ codeHash: [UInt8]?, to id: String, for purpose: Challenge.Purpose, at now: Date
  ) -> Answer {
    guard let codeHash else { return find(id, for: purpose, isByProvider: true, at: now) }
    let found = countTry(of: id, for: purpose, isByProvider: false, at: now)
    guard case .right(let index) = found else { return found }
    return equalInConstantTime(codeHash, challenges[index].codeHash) ? found : .refused(.wrong)
  }

  /// Takes one of a challenge's tries, before the answer is checked.
  mutating func countTry(
    of id: String, for purpose: Challenge.Purpose, isByProvider: Bool, at now: Date
  ) -> Answer {
    let found = find(id, for: purpose, isByProvider: isByProvider, at: now)
    guard case .right(let index) = found else { return found }
    guard challenges[index].tries < Challenge.maximumTries else { return .refused(.replayed) }
    challenges[index].tries += 1
    return found
  }

  private func find(_ id: String, for purpose: Challenge.Purpose, isByProvider: Bool, at now: Date) -> Answer {
    let index = challenges.firstIndex { challenge in
      challenge.id == id && challenge.purpose == purpose && challenge.isActive
        && (challenge.reference != nil) == isByProvider
    }
    guard let index else { return .refused(.replayed) }
    return now < challenges[index].expiry ? .right(index) : .refused(.late)
  }

  /// Checks that a factor exists and has this number.
  func check(_ number: PhoneNumber, isOf uid: String) throws(Refusal) {
    guard factors[try index(of: uid, .phone)].number == number else {
      throw Refusal(.multiFactorInfoNotFound, .messageRefused, .notFound, uid, .phone)
    }
  }

  /// Counts a message and keeps its challenge, not yet active, unless a limit is reached.
  ///
  /// - Parameter limit: The limit on messages for the user; `nil` for a challenge whose message is not sent.
  mutating func open(_ challenge: Challenge, under limit: SendLimits.Limit?, by clock: Date) throws(Refusal) {
    let now = now(by: clock)
    if let limit { try messages.count(under: limit, by: now) }
    latestTime = now
    challenges.removeAll { $0.expiry.addingTimeInterval(Challenge.keptAfterExpiry) <= now }
    if challenges.count >= Challenge.maximumCount { challenges.removeFirst() }
    challenges.append(challenge)
  }

  /// Makes a challenge active once its message is on its way. The previously active challenge of the same purpose ends;
  /// those whose messages are not yet on their way stay.
  ///
  /// - Parameter reference: The provider's name for it, if the provider has generated the code.
  /// - Throws: ``Refusal`` if the challenge no longer exists, which means that what it was for does not either.
  mutating func activate(_ id: String, reference: String? = nil, by clock: Date) throws(Refusal) {
    guard let index = challenges.firstIndex(where: { $0.id == id }) else { throw Refusal(.multiFactorInfoNotFound) }
    advance(to: clock)
    var challenge = challenges.remove(at: index)
    challenge.isActive = true
    challenge.reference = reference
    challenges.removeAll { $0.purpose == challenge.purpose && $0.isActive }
    challenges.append(challenge)
  }
}
