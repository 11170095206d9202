import Foundation
import MultiFactor
import Synchronization

/// What a WebAuthn library verifies: origin, relying party, challenge, signature, and that the user was verified.
protocol PasskeyVerifier: Sendable {
  /// The passkey that a browser has created; `nil` if its response is not valid for the challenge.
  func register(_ response: String, challenge: [UInt8]) async throws -> Passkey?
  /// A passkey's count of signatures after it has answered the challenge; `nil` if the response is not valid.
  func authenticate(_ response: String, challenge: [UInt8], with passkey: Passkey) async throws -> UInt32?
}

/// What is kept of a passkey: the details of its factor.
struct Passkey: Codable, Sendable, Equatable {
  let id: Data
  let publicKey: Data
  var signCount: UInt32
}

/// What a client may know about a passkey, to offer it: `allowCredentials` takes its ID.
struct PasskeyInfo: MultiFactorInfo {
  let uid: String
  let displayName: String?
  let enrollmentDate: Date
  let credentialID: Data
  var factorID: String { "passkey" }
}

/// A passkey as a second factor: the host's WebAuthn library verifies it, and `MultiFactorAuth` gets only the result:
/// this credential has answered this challenge.
///
/// The challenges are in this process. With several processes, keep them in a table: taking one is
/// `DELETE … RETURNING`.
final class PasskeyFactor: ExternalFactor {
  /// Whom a challenge is for, and until when.
  private struct Question {
    let userID: String
    /// `nil` at an enrollment.
    let factorUID: String?
    let end: Date
  }

  let factorID = "passkey"
  private let verifier: any PasskeyVerifier
  private let clock: @Sendable () -> Date
  private let questions = Mutex<[String: Question]>([:])

  init(verifier: any PasskeyVerifier, clock: @escaping @Sendable () -> Date = { Date() }) {
    self.verifier = verifier
    self.clock = clock
  }

  /// Notes a challenge of the library that is sent to the browser, for five minutes.
  ///
  /// - Parameters:
  ///   - challenge: Random bytes, new each time.
  ///   - session: The resolver's, or that of an enrollment.
  ///   - uid: The passkey's, from a resolver's hint; `nil` to enroll one.
  /// - Returns: The challenge's name. Keep it in the web session, and take it from there for the assertion, never from
  ///   the client: so it is answered only in this session.
  func ask(_ challenge: [UInt8], in session: MultiFactorSession, of uid: String?) -> String {
    let (name, now) = (Data(challenge).base64EncodedString(), clock())
    questions.withLock { questions in
      questions = questions.filter { now < $0.value.end }
      questions[name] = Question(userID: session.uid, factorUID: uid, end: now + 300)
    }
    return name
  }

  func factorUID(of answer: ExternalAnswer) throws(AuthError) -> String {
    guard let question = questions.withLock({ $0[answer.challenge] }), question.userID == answer.userID,
      let uid = question.factorUID
    else { throw AuthError(.invalidVerificationID) }
    return uid
  }

  func verify(_ answer: ExternalAnswer, of factor: FactorInfo) async throws -> ExternalVerdict {
    var passkey = try JSONDecoder().decode(Passkey.self, from: Data(factor.details))
    guard let challenge = take(answer, of: factor.uid) else { return .refused(.replayed) }
    guard let count = try await verifier.authenticate(answer.response, challenge: challenge, with: passkey) else {
      return .refused(.wrong)
    }
    passkey.signCount = count
    return .accepted(details: Array(try JSONEncoder().encode(passkey)))
  }

  func enroll(_ answer: ExternalAnswer) async throws -> ExternalVerdict {
    guard let challenge = take(answer, of: nil) else { return .refused(.replayed) }
    guard let passkey = try await verifier.register(answer.response, challenge: challenge) else {
      return .refused(.wrong)
    }
    return .accepted(details: Array(try JSONEncoder().encode(passkey)))
  }

  /// Ends a question, and returns its challenge if it is this user's, of this passkey, and not too old. Of parallel
  /// answers, one gets it.
  private func take(_ answer: ExternalAnswer, of uid: String?) -> [UInt8]? {
    guard let question = questions.withLock({ $0.removeValue(forKey: answer.challenge) }),
      question.userID == answer.userID, question.factorUID == uid, clock() < question.end
    else { return nil }
    return Data(base64Encoded: answer.challenge).map(Array.init)
  }

  func info(of factor: FactorInfo, isHint: Bool) -> any MultiFactorInfo {
    let passkey = try? JSONDecoder().decode(Passkey.self, from: Data(factor.details))
    return PasskeyInfo(
      uid: factor.uid, displayName: factor.displayName, enrollmentDate: factor.enrollmentDate,
      credentialID: passkey?.id ?? Data())
  }
}
