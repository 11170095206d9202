import FactorRecord
import Foundation

// What only an administrator can do, and the consequences of a removal.
extension Account {
  /// Revokes all handles and pending sign-ins, along with secrets and external factors that are being enrolled.
  package mutating func revoke(at time: Date) {
    advance(to: time)
    generation &+= 1
  }

  /// Clears the failures of a factor or, by the name ``FactorKind/recovery``, of the recovery codes; and those of the
  /// account. Sets the account's time back if it is over a day ahead: only a wrong clock can have set it. All handles
  /// are then revoked, since those that had expired would be valid again.
  ///
  /// - Returns: Whether the factor stays locked, after 100 failures; and whether the time was set back.
  package mutating func unlock(_ uid: String, at time: Date) throws(Refusal) -> (isLocked: Bool, isSetBack: Bool) {
    let isLocked: Bool
    if uid == FactorKind.recovery.rawValue {
      guard !recoveryCodes.isEmpty else { throw Refusal(.multiFactorInfoNotFound) }
      recovery?.attempts.unlock(at: time.unixMilliseconds)
      isLocked = recovery?.attempts.needNewEnrollment ?? false
    } else {
      guard let index = factors.firstIndex(where: { $0.uid.hasBytes(of: uid) }) else {
        throw Refusal(.multiFactorInfoNotFound)
      }
      factors[index].attempts.unlock(at: time.unixMilliseconds)
      isLocked = factors[index].attempts.needNewEnrollment
    }
    failures = 0
    // The distant past stands for a clock without a valid time.
    let isSetBack = time > .distantPast && latestTime.timeIntervalSince(time) > Self.maximumClockDifference
    if isSetBack {
      latestTime = time
      generation &+= 1
    }
    advance(to: time)
    return (isLocked, isSetBack)
  }

  /// Replaces all of the user's factors and revokes the handles. What was spent of a secret that stays, stays spent,
  /// and its failures stay counted.
  package mutating func replace(with new: [Factor], at time: Date) throws(Refusal) {
    let before = self
    do {
      for factor in before.factors { _ = try keepSpent(of: factor) }
      factors = []
      for var factor in new {
        if let old = try before.factor(like: factor.content) { factor.attempts = old.attempts }
        try add(factor, atMost: .max, at: time)
      }
      for factor in before.factors where try self.factor(like: factor.content)?.uid != factor.uid {
        note(PastFactor(factor, until: accountTime(at: time)))
      }
    } catch {
      // This also restores the account's time, which adding the first factor has advanced.
      self = before
      throw error
    }
    // Otherwise, an account that is locked stays locked.
    if factors.isEmpty { failures = 0 }
    dropRecoveryCodes(at: time)
    revoke(at: time)
  }

  /// Deletes the user's account except for what was spent, and revokes what was handed out.
  ///
  /// - Parameters:
  ///   - lifetime: The longest that anything handed out can be valid, in seconds, by a clock of its own.
  ///   - stride: How much to add to the generation, drawn at random: once an account is gone, a new one of the same
  ///     name counts from 0 again, and must not reach a generation that was handed out before.
  /// - Returns: Whether everything handed out has already expired, so that nothing need be kept.
  package mutating func delete(at time: Date, after lifetime: TimeInterval, raisingBy stride: UInt64) -> Bool {
    // If a secret cannot be hashed, the deletion matters more than what was spent.
    for factor in factors { _ = try? keepSpent(of: factor) }
    let remainder = Account(
      latestTime: latestTime, generation: generation, spentSecrets: spentSecrets, lossDate: lossDate)
    // What the machine with the fastest clock has handed out may be used on the one with the slowest. The clocks of
    // this call and of the first one can be anywhere between the two.
    let end = latestTime.addingTimeInterval(lifetime + 2 * Self.maximumClockDifference)
    if self == remainder, generation != 0, accountTime(at: time) >= end { return true }
    self = remainder
    generation &+= max(1, stride)
    advance(to: time)
    return false
  }
}
