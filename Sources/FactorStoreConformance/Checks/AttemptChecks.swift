import Foundation
import MultiFactor

extension FactorStoreConformance {
  static let attemptChecks: [Check] = [
    Check("a reservation is counted as a failure and shows what it is on") { scene in
      try await scene.enroll(scene.factor("a"), scene.factor("b"))
      _ = try await scene.store.revokeHandles(of: "user")
      for number in 1...3 {
        let reservation = try await scene.reserved(.factor(uid: "a"), at: number)
        try await scene.expect(
          reservation, Reservation(number: UInt64(number), generation: 1, factor: scene.held("a")), "reservation")
        try await scene.expect(
          scene.held("a").attempts,
          AttemptState(attempts: UInt64(number), cleared: 0, acceptances: 0, lastAttempt: Scene.time(number)),
          "attempts")
      }
      try await scene.expect(scene.held("b"), scene.factor("b"), "the other factor")
    },

    Check("attempts are refused as the policy says, to the second, and refusals are not counted") { scene in
      try await scene.enroll(scene.factor("a"))
      let policies = try [
        AttemptPolicy.standard,
        AttemptPolicy(failuresUntilLock: 3, lockDuration: 10, firstDelayedFailure: 1, initialDelay: 2),
        AttemptPolicy(failuresUntilLock: 2, lockDuration: nil, firstDelayedFailure: 9, initialDelay: 0),
        Scene.patientPolicy(),
      ]
      for policy in policies {
        _ = try await scene.store.unlock(.factor(uid: "a"), of: "user")
        var model = try await scene.held("a").attempts
        for seconds in (0..<40).flatMap({ [$0, $0] }) {
          let decision = model.reserve(at: Scene.time(seconds), under: policy)
          let outcome = try await scene.reserve(.factor(uid: "a"), at: seconds, under: policy)
          switch (decision, outcome) {
          case (.reserved(let number), .reserved(let reservation)) where reservation.number == number: break
          case (.refused(let expected), .refused(let retryAfter)) where retryAfter == expected: break
          default: throw Scene.Mismatch(message: "\(outcome) instead of \(decision)")
          }
          try await scene.expect(scene.held("a").attempts, model, "attempts")
        }
      }
    },

    Check("after as many failures as the ceiling nothing but unlocking helps") { scene in
      try await scene.enroll(scene.factor("a"))
      let policy = try Scene.patientPolicy()
      for _ in 0..<AttemptPolicy.ceiling { _ = try await scene.reserved(.factor(uid: "a"), under: policy) }
      try await scene.expectUnchanged("a refused attempt") {
        try await scene.expect(
          scene.reserve(.factor(uid: "a"), at: 1_000_000_000, under: policy), .refused(retryAfter: nil), "attempt")
      }
      try await scene.expect(scene.store.unlock(.factor(uid: "a"), of: "user"), true, "unlock")
      try await scene.expect(scene.reserved(.factor(uid: "a"), under: policy).number, 101, "number")
    },

    Check("a clock that was set back neither shortens a wait nor lengthens it") { scene in
      try await scene.enroll(scene.factor("a"))
      let policy = try AttemptPolicy(
        failuresUntilLock: 1, lockDuration: 60, firstDelayedFailure: 1, initialDelay: 0)
      _ = try await scene.reserved(.factor(uid: "a"), at: 100_000, under: policy)
      let attempt = { try await scene.reserve(.factor(uid: "a"), at: $0, under: policy) }
      try await scene.expect(attempt(100_059), .refused(retryAfter: Scene.time(100_060)), "before the clock is set")
      try await scene.expect(attempt(0), .refused(retryAfter: Scene.time(60)), "after it is set back")
      // The state was brought to that time, although the attempt was refused.
      try await scene.expect(scene.held("a").attempts.lastAttempt, Scene.time(0), "time of the last attempt")
      try await scene.expect(attempt(59), .refused(retryAfter: Scene.time(60)), "a second too soon")
      try await scene.expect(scene.reserved(.factor(uid: "a"), at: 60, under: policy).number, 2, "number")
    },

    Check("an attempt needs the user's own factor") { scene in
      try await scene.enroll(scene.factor("a"), scene.factor("x", of: "other"))
      try await scene.activate(scene.challenge("c", for: .signIn(factorUID: "a")))
      try await scene.expectUnchanged("other", "an attempt without a factor") {
        try await scene.expectUnchanged("user", "an attempt without a factor") {
          for target: AttemptTarget in [
            .factor(uid: "none"), .factor(uid: "x"), .phoneFactor(uid: "x", challengeID: "c"), .recoveryCodes,
          ] {
            try await scene.expect(scene.reserve(target), .notFound, "\(target)")
          }
          try await scene.expect(scene.reserve(.factor(uid: "a"), of: "nobody"), .notFound, "nobody's")
          try await scene.expect(scene.reserve(.recoveryCodes, of: "nobody"), .notFound, "nobody's codes")
        }
      }
    },

    Check("an attempt with a challenge needs a phone, and one without needs another kind") { scene in
      try await scene.enroll(scene.factor("t"), scene.factor("h", kind: .hotp), scene.factor("p", kind: .phone))
      try await scene.activate(scene.challenge("for t", for: .signIn(factorUID: "t")))
      try await scene.activate(scene.challenge("for p", for: .signIn(factorUID: "p")))
      try await scene.expectUnchanged("an attempt on a factor of another kind") {
        try await scene.expect(scene.reserve(.factor(uid: "p")), .notFound, "a phone without a challenge")
        for id in ["for t", "for p", "none"] {
          try await scene.expect(
            scene.reserve(.phoneFactor(uid: "t", challengeID: id)), .notFound, "\(id) for a factor that is no phone")
        }
      }
      _ = try await scene.reserved(.factor(uid: "t"))
      _ = try await scene.reserved(.factor(uid: "h"))
      _ = try await scene.reserved(.phoneFactor(uid: "p", challengeID: "for p"))
    },

    Check("an attempt needs the generation, or asks for none, and who is revoked uses none up") { scene in
      try await scene.enroll(scene.factor("a"), scene.factor("p", kind: .phone))
      _ = try await scene.store.revokeHandles(of: "user")
      _ = try await scene.store.replaceRecoveryCodes(of: "user", with: [[1]], ifGeneration: 1)
      try await scene.activate(scene.challenge("c", for: .signIn(factorUID: "p")))
      try await scene.activate(scene.challenge("e"))
      let targets: [AttemptTarget] = [
        .factor(uid: "a"), .phoneFactor(uid: "p", challengeID: "c"), .enrollmentChallenge(id: "e"), .recoveryCodes,
      ]
      let nothing: [AttemptTarget] = [
        .factor(uid: "none"), .phoneFactor(uid: "none", challengeID: "none"),
        .phoneFactor(uid: "p", challengeID: "none"), .enrollmentChallenge(id: "none"),
      ]
      // More often than a challenge has tries.
      for _ in 0...ChallengeRecord.maximumTries {
        try await scene.expectUnchanged("an attempt in another generation") {
          for target in targets + nothing {
            for generation: UInt64 in [0, 2, .max] {
              try await scene.expect(scene.reserve(target, ifGeneration: generation), .revoked, "\(target)")
            }
          }
        }
      }
      for target in targets {
        guard case .reserved(let reservation) = try await scene.reserve(target, ifGeneration: 1) else {
          throw Scene.Mismatch(message: "\(target): no attempt in the user's generation")
        }
        try scene.expect(reservation.number, target == targets[2] ? 0 : 1, "number")
        try scene.expect(reservation.challenge?.tries ?? 1, 1, "tries, after what was revoked")
        try await scene.expect(scene.reserve(target, ifGeneration: 0), .revoked, "\(target), delayed or not")
      }
    },

    Check("a user whom the store does not know has generation 0") { scene in
      for target: AttemptTarget in [.factor(uid: "a"), .phoneFactor(uid: "a", challengeID: "c"), .recoveryCodes] {
        try await scene.expect(scene.reserve(target, of: "nobody", ifGeneration: 1), .revoked, "1 for \(target)")
        try await scene.expect(scene.reserve(target, of: "nobody", ifGeneration: 0), .notFound, "0 for \(target)")
      }
      let enrollment = AttemptTarget.enrollmentChallenge(id: "c")
      try await scene.expect(scene.reserve(enrollment, of: "nobody", ifGeneration: 1), .revoked, "1, no challenge")
      try await scene.expect(
        scene.reserve(enrollment, of: "nobody", ifGeneration: 0), .challengeNotFound, "0 without a challenge")
      try await scene.expect(scene.account("nobody"), AccountRecord(userID: "nobody"), "record")
      // A challenge makes no record: the user is still not known.
      try await scene.activate(scene.challenge("c", of: "nobody"))
      try await scene.expect(scene.reserve(enrollment, of: "nobody", ifGeneration: 1), .revoked, "1 with a challenge")
      guard case .reserved = try await scene.reserve(enrollment, of: "nobody", ifGeneration: 0) else {
        throw Scene.Mismatch(message: "no attempt in generation 0")
      }
    },

    Check("an enrolment challenge takes so many tries, and no more") { scene in
      _ = try await scene.store.revokeHandles(of: "user")
      try await scene.activate(scene.challenge("c"))
      var expected = scene.challenge("c")
      expected.isActive = true
      for tries in 1...ChallengeRecord.maximumTries {
        expected.tries = tries
        try await scene.expect(
          scene.reserved(.enrollmentChallenge(id: "c")), Reservation(number: 0, generation: 1, challenge: expected),
          "reservation")
      }
      try await scene.expect(scene.reserve(.enrollmentChallenge(id: "c")), .challengeNotFound, "one too many")
      try await scene.expect(scene.reserve(.enrollmentChallenge(id: "c")), .challengeNotFound, "two too many")
    },

    Check("an attempt on a phone factor takes a try of the challenge and is counted on the factor") { scene in
      try await scene.enroll(scene.factor("a", kind: .phone))
      try await scene.activate(scene.challenge("c", for: .signIn(factorUID: "a")))
      let policy = try Scene.patientPolicy()
      let target = AttemptTarget.phoneFactor(uid: "a", challengeID: "c")
      for tries in 1...ChallengeRecord.maximumTries {
        let reservation = try await scene.reserved(target, under: policy)
        try scene.expect(reservation.number, UInt64(tries), "number")
        try await scene.expect(reservation.factor, scene.held("a"), "factor")
        try scene.expect(reservation.challenge?.tries, tries, "tries")
        try scene.expect(reservation.challenge?.codeHash, scene.challenge("c").codeHash, "code")
      }
      try await scene.expect(scene.reserve(target, under: policy), .challengeNotFound, "one too many")
      try await scene.expect(
        scene.held("a").attempts.consecutiveFailures, UInt64(ChallengeRecord.maximumTries + 1), "failures")
    },

    Check("an attempt on a phone factor is counted, and limited, also where its challenge is of no use") { scene in
      try await scene.enroll(scene.factor("a", kind: .phone))
      try await scene.activate(scene.challenge("spent", for: .signIn(factorUID: "a")))
      try await scene.expect(scene.accept(.challenge(id: "spent", factorUID: "a"), reservation: 0), .accepted, "accept")
      try await scene.activate(scene.challenge("expired", for: .signIn(factorUID: "a"), expiry: 1))
      try await scene.expect(scene.open(scene.challenge("inactive", for: .signIn(factorUID: "a"))), .opened, "open")
      let policy = try AttemptPolicy(failuresUntilLock: 5, lockDuration: nil, firstDelayedFailure: 5, initialDelay: 0)
      var model = try await scene.held("a").attempts
      for (id, outcome) in [
        ("spent", ReservationOutcome.challengeNotFound), ("none", .challengeNotFound), ("inactive", .challengeNotFound),
        ("expired", .challengeExpired), ("none", .challengeNotFound),
        ("none", .refused(retryAfter: nil)), ("expired", .refused(retryAfter: nil)),
      ] {
        _ = model.reserve(at: Scene.time(2), under: policy)
        try await scene.expect(
          scene.reserve(.phoneFactor(uid: "a", challengeID: id), at: 2, under: policy), outcome, id)
        try await scene.expect(scene.held("a").attempts, model, "attempts after \(id)")
      }
    },

    Check("a challenge is good until its expiry, that moment excluded") { scene in
      try await scene.enroll(scene.factor("a", kind: .phone))
      try await scene.activate(scene.challenge("sign-in", for: .signIn(factorUID: "a"), expiry: 300))
      try await scene.activate(scene.challenge("enrolment", expiry: 300))
      let policy = try Scene.patientPolicy()
      for target: AttemptTarget in [
        .phoneFactor(uid: "a", challengeID: "sign-in"), .enrollmentChallenge(id: "enrolment"),
      ] {
        _ = try await scene.reserved(target, at: 299, under: policy)
        for seconds in [300, 301] {
          try await scene.expect(
            scene.reserve(target, at: seconds, under: policy), .challengeExpired, "\(target) at \(seconds)")
        }
        let reservation = try await scene.reserved(target, at: 299, under: policy)
        try scene.expect(reservation.challenge?.tries, 2, "tries after late attempts")
      }
    },

    Check("a challenge is good for its user and purpose alone, and once it is active") { scene in
      try await scene.enroll(
        scene.factor("a", kind: .phone), scene.factor("b", kind: .phone), scene.factor("x", of: "other", kind: .phone))
      try await scene.activate(scene.challenge("for a", for: .signIn(factorUID: "a")))
      try await scene.activate(scene.challenge("enrolment"))
      try await scene.activate(scene.challenge("for x", of: "other", for: .signIn(factorUID: "x")))
      try await scene.expect(scene.open(scene.challenge("inactive", for: .signIn(factorUID: "b"))), .opened, "open")
      let policy = try Scene.patientPolicy()
      for (uid, ids) in [("a", ["for x", "enrolment", "inactive", "none"]), ("b", ["for a", "inactive"])] {
        for id in ids {
          try await scene.expect(
            scene.reserve(.phoneFactor(uid: uid, challengeID: id), under: policy), .challengeNotFound,
            "\(id) for \(uid)")
        }
      }
      try await scene.expectUnchanged("an attempt with a wrong challenge") {
        try await scene.expect(
          scene.reserve(.enrollmentChallenge(id: "for a")), .challengeNotFound, "a sign-in's for enrolment")
      }
      try await scene.expect(
        scene.reserve(.enrollmentChallenge(id: "enrolment"), of: "other"), .challengeNotFound, "another's")
      // No try was taken.
      try await scene.expect(
        scene.reserved(.phoneFactor(uid: "a", challengeID: "for a"), under: policy).challenge?.tries, 1, "tries")
      try await scene.expect(scene.reserved(.enrollmentChallenge(id: "enrolment")).challenge?.tries, 1, "tries")
    },

    Check("generation, factor, lock, challenge: they are looked at in this order") { scene in
      try await scene.enroll(scene.factor("a", kind: .phone))
      try await scene.activate(scene.challenge("c", for: .signIn(factorUID: "a"), expiry: 100))
      let policy = try AttemptPolicy(failuresUntilLock: 1, lockDuration: nil)
      let target = AttemptTarget.phoneFactor(uid: "a", challengeID: "c")
      _ = try await scene.reserved(target, under: policy)
      try await scene.expectUnchanged("a refused attempt") {
        try await scene.expect(
          scene.reserve(.phoneFactor(uid: "no", challengeID: "no"), under: policy, ifGeneration: 1), .revoked,
          "all is wrong")
        try await scene.expect(scene.reserve(target, under: policy, ifGeneration: 1), .revoked, "revoked and locked")
        try await scene.expect(
          scene.reserve(.phoneFactor(uid: "no", challengeID: "no"), under: policy, ifGeneration: 0), .notFound,
          "no factor, no challenge")
        try await scene.expect(
          scene.reserve(.phoneFactor(uid: "a", challengeID: "no"), under: policy), .refused(retryAfter: nil),
          "locked, no challenge")
        try await scene.expect(
          scene.reserve(target, at: 100, under: policy), .refused(retryAfter: nil), "locked and expired")
        for _ in 0...ChallengeRecord.maximumTries {
          try await scene.expect(scene.reserve(target, under: policy), .refused(retryAfter: nil), "locked")
        }
      }
      _ = try await scene.store.unlock(.factor(uid: "a"), of: "user")
      try await scene.expect(scene.reserved(target, under: policy).challenge?.tries, 2, "tries, after refusals")
    },

    Check("unlocking clears the failures of one factor and needs one") { scene in
      try await scene.enroll(scene.factor("a"), scene.factor("b"), scene.factor("x", of: "other"))
      for uid in ["a", "b"] { _ = try await scene.reserved(.factor(uid: uid)) }
      _ = try await scene.reserved(.factor(uid: "a"))
      try await scene.expectUnchanged("unlocking what is not there") {
        try await scene.expect(scene.store.unlock(.factor(uid: "x"), of: "user"), false, "another's factor")
        try await scene.expect(scene.store.unlock(.recoveryCodes, of: "user"), false, "no codes")
        try await scene.expect(scene.store.unlock(.factor(uid: "a"), of: "nobody"), false, "nobody's factor")
      }
      var expected = try await scene.account()
      expected.factors[0].attempts.unlock()
      try await scene.expect(scene.store.unlock(.factor(uid: "a"), of: "user"), true, "unlock")
      try await scene.expect(scene.account(), expected, "record")
      try scene.expect(expected.factors.map(\.attempts.consecutiveFailures), [0, 1], "failures")
    },
  ]
}
