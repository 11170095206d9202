import Foundation
import Keyring
import MultiFactor
import OTP

/// A user's challenges and messages, in a document of their own: a value, with every rule as a function on it.
///
/// Its time never runs backward, as an account's does not.
struct PhoneDocument: Sendable, Equatable {
  /// The latest time that it has seen.
  var latestTime = Date.distantPast
  /// Codes that were sent, the latest last.
  var challenges: [Challenge] = []
  /// The messages sent for the user.
  var messages = MessageLog()

  /// The document's time, by a clock.
  func documentTime(at time: Date) -> Date { max(latestTime, time) }
}

extension PhoneDocument {
  /// The outcome of answering a challenge.
  enum Outcome: Sendable {
    /// Right: the challenge has ended.
    case right(Challenge)
    /// Only the provider knows, by its name for the challenge.
    case asked(Challenge, reference: String)
    case refused(AuditEvent.Reason)
  }

  /// Takes one of a challenge's tries, and checks the answer. If it is right, the challenge ends.
  ///
  /// - Parameters:
  ///   - codeHash: The keyed hash of the answer.
  ///   - generation: That of the sign-in or enrollment. A challenge ends when the user's handles are revoked.
  mutating func answer(
    _ codeHash: [UInt8], to id: String, for purpose: Challenge.Purpose, in generation: UInt64, at time: Date
  ) -> Outcome {
    latestTime = documentTime(at: time)
    let index: Int
    switch find(id, for: purpose, in: generation, at: time) {
    case .success(let found): index = found
    case .failure(let refused): return .refused(refused.reason)
    }
    guard challenges[index].tries < Challenge.maximumTries else { return .refused(.replayed) }
    challenges[index].tries += 1
    switch challenges[index].answer {
    case .code(let hash):
      return equalInConstantTime(codeHash, hash) ? .right(challenges.remove(at: index)) : .refused(.wrong)
    case .provider(let reference): return .asked(challenges[index], reference: reference)
    case nil: return .refused(.replayed)
    }
  }

  /// Ends a challenge whose answer the provider has accepted.
  ///
  /// - Returns: Why the answer is not accepted; `nil` if it is.
  mutating func end(
    _ id: String, for purpose: Challenge.Purpose, in generation: UInt64, at time: Date
  ) -> AuditEvent.Reason? {
    latestTime = documentTime(at: time)
    switch find(id, for: purpose, in: generation, at: time) {
    case .success(let index):
      challenges.remove(at: index)
      return nil
    case .failure(let refused): return refused.reason
    }
  }

  private struct Refused: Error { let reason: AuditEvent.Reason }

  private mutating func find(
    _ id: String, for purpose: Challenge.Purpose, in generation: UInt64, at time: Date
  ) -> Result<Int, Refused> {
    let index = challenges.firstIndex { challenge in
      challenge.id == id && challenge.purpose == purpose && challenge.generation == generation
        && challenge.answer != nil
    }
    guard let index else { return .failure(Refused(reason: .replayed)) }
    // For good: the document's time may stand still, and another clock be behind.
    if time >= challenges[index].end { challenges[index].expiry = min(challenges[index].expiry, latestTime) }
    return latestTime < challenges[index].expiry ? .success(index) : .failure(Refused(reason: .late))
  }

  /// Counts a message and keeps its challenge, not yet active, unless a limit is reached.
  ///
  /// - Parameter limit: The limit on messages for the user; `nil` for a challenge whose message is not sent.
  mutating func open(_ challenge: Challenge, under limit: SendLimits.Limit?, at time: Date) throws(Refusal) {
    let now = documentTime(at: time)
    if let limit { try messages.count(under: limit, at: now) }
    latestTime = now
    challenges.removeAll { $0.expiry.addingTimeInterval(Challenge.keptAfterExpiry) <= now }
    if challenges.count >= Challenge.maximumCount { challenges.removeFirst() }
    challenges.append(challenge)
  }

  /// Makes a challenge active once its message is on its way. The previously active challenge of the same purpose ends;
  /// those whose messages are not yet on their way stay.
  ///
  /// - Throws: ``Refusal`` if the challenge no longer exists: too many others have replaced it.
  mutating func activate(_ id: String, with answer: Challenge.Answer, at time: Date) throws(Refusal) {
    guard let index = challenges.firstIndex(where: { $0.id == id }) else { throw Refusal(.multiFactorInfoNotFound) }
    latestTime = documentTime(at: time)
    var challenge = challenges.remove(at: index)
    challenge.answer = answer
    challenges.removeAll { $0.purpose == challenge.purpose && $0.answer != nil }
    challenges.append(challenge)
  }

  /// Ends every challenge whose end may have been lost, if the store may have lost changes up to a moment. Idempotent.
  mutating func spendAll(until date: Date, lifetime: TimeInterval) {
    // A challenge was sent at most this long before it ends.
    challenges.removeAll { $0.end <= date + lifetime }
  }
}

// After the version: latest time · challenges · messages. Numbers are big-endian, times milliseconds since 1970.
//
//   challenge:  name · factor's name? · number · generation (8) · expiry · end
//               · tries · not active (0), code's hash (1), or the provider's name for it (2)
extension PhoneDocument: Document {
  static var empty: PhoneDocument { PhoneDocument() }

  func encode(to writer: inout ByteWriter) {
    writer.append(latestTime)
    writer.append(list: challenges) { writer, challenge in challenge.encode(to: &writer) }
    messages.encode(to: &writer)
  }

  init(from reader: inout ByteReader) throws(KeyringError) {
    latestTime = try reader.readDate()
    challenges = try reader.readList { (reader) throws(KeyringError) in try Challenge(from: &reader) }
    messages = try MessageLog(from: &reader)
  }
}

extension Challenge: Sealable {
  func encode(to writer: inout ByteWriter) {
    writer.append(id)
    let factorUID: String? = if case .signIn(let uid) = purpose { uid } else { nil }
    writer.append(factorUID) { writer, uid in writer.append(uid) }
    writer.append(number.e164)
    writer.append(generation)
    writer.append(expiry)
    writer.append(end)
    writer.append(UInt8(clamping: tries))
    switch answer {
    case nil: writer.append(UInt8(0))
    case .code(let hash):
      writer.append(UInt8(1))
      writer.append(hash)
    case .provider(let reference):
      writer.append(UInt8(2))
      writer.append(reference)
    }
  }

  init(from reader: inout ByteReader) throws(KeyringError) {
    id = try reader.readString()
    let factorUID = try reader.readOptional { (reader) throws(KeyringError) in try reader.readString() }
    purpose = Purpose(factorUID: factorUID)
    do { number = try PhoneNumber(try reader.readString()) } catch { throw KeyringError(.malformed) }
    generation = try reader.readUInt64()
    expiry = try reader.readDate()
    end = try reader.readDate()
    tries = Int(try reader.readUInt8())
    answer =
      switch try reader.readUInt8() {
      case 0: nil
      case 1: .code(hash: try reader.readBytes())
      case 2: .provider(reference: try reader.readString())
      default: throw KeyringError(.malformed)
      }
  }
}
