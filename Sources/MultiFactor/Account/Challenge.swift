import Foundation

/// A code that was sent by text message, as a keyed hash, and what it is good for.
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
  /// From when on it is good for nothing.
  let expiry: Date
  /// How many times it was answered.
  var tries = 0
  /// Whether its message was handed over to the sender. Before, it cannot be answered.
  var isActive = false
  /// What the provider calls it that has made the code and knows it; `nil` if the code is one of ours.
  var reference: String?

  /// How many answers one challenge takes.
  static let maximumTries = 5
  /// How long an expired one is kept, in seconds: for a while, a late answer is told apart from a wrong one in the log.
  static let keptAfterExpiry: TimeInterval = 86_400
  /// How many are kept of one user: one more takes the place of the oldest.
  static let maximumCount = 16
}

extension Account {
  /// What an answer to a challenge is.
  enum Answer {
    /// Right: the challenge at this place, to be removed once it has served.
    case right(Int)
    case refused(AuditEvent.Reason)
  }

  /// Takes one of a challenge's tries, and looks at the answer.
  ///
  /// - Parameter codeHash: The keyed hash of the answer; `nil` for one that the provider has found right, for which a
  ///   try was taken before.
  mutating func answer(
    _ codeHash: [UInt8]?, to id: String, for purpose: Challenge.Purpose, at now: Date
  ) -> Answer {
    guard let codeHash else { return find(id, for: purpose, isByProvider: true, at: now) }
    let found = takeTry(of: id, for: purpose, isByProvider: false, at: now)
    guard case .right(let place) = found else { return found }
    return equalInConstantTime(codeHash, challenges[place].codeHash) ? found : .refused(.wrong)
  }

  /// Takes one of a challenge's tries, before anything is known of the answer.
  mutating func takeTry(
    of id: String, for purpose: Challenge.Purpose, isByProvider: Bool, at now: Date
  ) -> Answer {
    let found = find(id, for: purpose, isByProvider: isByProvider, at: now)
    guard case .right(let place) = found else { return found }
    guard challenges[place].tries < Challenge.maximumTries else { return .refused(.replayed) }
    challenges[place].tries += 1
    return found
  }

  private func find(_ id: String, for purpose: Challenge.Purpose, isByProvider: Bool, at now: Date) -> Answer {
    let place = challenges.firstIndex { challenge in
      challenge.id == id && challenge.purpose == purpose && challenge.isActive
        && (challenge.reference != nil) == isByProvider
    }
    guard let place else { return .refused(.replayed) }
    return now < challenges[place].expiry ? .right(place) : .refused(.late)
  }

  /// Checks that a factor is there and has a number.
  func check(_ number: PhoneNumber, isOf uid: String) throws(Refusal) {
    guard factors[try index(of: uid, .phone)].content == .phone(number) else {
      throw Refusal(.multiFactorInfoNotFound, .messageRefused, .notFound, uid, .phone)
    }
  }

  /// Counts a message and keeps its challenge, not yet active, unless a limit is reached.
  ///
  /// - Parameter limit: The limit on messages for the user; `nil` for one that is not sent.
  mutating func open(_ challenge: Challenge, under limit: SendLimits.Limit?, by clock: Date) throws(Refusal) {
    let now = now(by: clock)
    if let limit { try messages.count(under: limit, by: now) }
    latestTime = now
    challenges.removeAll { $0.expiry.addingTimeInterval(Challenge.keptAfterExpiry) <= now }
    if challenges.count >= Challenge.maximumCount { challenges.removeFirst() }
    challenges.append(challenge)
  }

  /// Makes a challenge active, since its message is on its way. The one of the same purpose that was active ends with
  /// that; those whose messages are not on their way yet wait for them.
  ///
  /// - Parameter reference: What the provider calls it, if it has made the code.
  /// - Throws: ``Refusal`` where the challenge is not there any more, nor is what it was for.
  mutating func activate(_ id: String, reference: String? = nil, by clock: Date) throws(Refusal) {
    guard let place = challenges.firstIndex(where: { $0.id == id }) else { throw Refusal(.multiFactorInfoNotFound) }
    advance(to: clock)
    var challenge = challenges.remove(at: place)
    challenge.isActive = true
    challenge.reference = reference
    challenges.removeAll { $0.purpose == challenge.purpose && $0.isActive }
    challenges.append(challenge)
  }
}
