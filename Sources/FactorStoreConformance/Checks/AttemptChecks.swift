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
      try await scene.expectUnchanged("an attempt without a try") {
        try await scene.expect(scene.reserve(target, under: policy), .challengeNotFound, "one too many")
      }
      try await scene.expect(scene.held("a").attempts.attempts, UInt64(ChallengeRecord.maximumTries), "attempts")
    },

    Check("a challenge is good until its expiry, that moment excluded") { scene in
      try await scene.enroll(scene.factor("a", kind: .phone))
      try await scene.activate(scene.challenge("sign-in", for: .signIn(factorUID: "a"), expiry: 300))
      try await scene.activate(scene.challenge("enrolment", expiry: 300))
      for target: AttemptTarget in [
        .phoneFactor(uid: "a", challengeID: "sign-in"), .enrollmentChallenge(id: "enrolment"),
      ] {
        _ = try await scene.reserved(target, at: 299)
        try await scene.expectUnchanged("an attempt that came too late") {
          try await scene.expect(scene.reserve(target, at: 300), .challengeExpired, "at the expiry of \(target)")
          try await scene.expect(scene.reserve(target, at: 301), .challengeExpired, "after the expiry of \(target)")
        }
        let reservation = try await scene.reserved(target, at: 299)
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
      try await scene.expectUnchanged("an attempt with a wrong challenge") {
        for id in ["for x", "enrolment", "inactive", "none"] {
          try await scene.expect(
            scene.reserve(.phoneFactor(uid: "a", challengeID: id)), .challengeNotFound, "\(id) for a")
        }
        for id in ["for a", "inactive"] {
          try await scene.expect(
            scene.reserve(.phoneFactor(uid: "b", challengeID: id)), .challengeNotFound, "\(id) for b")
        }
        try await scene.expect(
          scene.reserve(.enrollmentChallenge(id: "for a")), .challengeNotFound, "a sign-in's for enrolment")
      }
      try await scene.expect(
        scene.reserve(.enrollmentChallenge(id: "enrolment"), of: "other"), .challengeNotFound, "another's")
      // No try was taken.
      try await scene.expect(
        scene.reserved(.phoneFactor(uid: "a", challengeID: "for a")).challenge?.tries, 1, "tries")
      try await scene.expect(scene.reserved(.enrollmentChallenge(id: "enrolment")).challenge?.tries, 1, "tries")
    },

    Check("factor, challenge, lock: they are looked at in this order") { scene in
      try await scene.enroll(scene.factor("a", kind: .phone))
      try await scene.activate(scene.challenge("c", for: .signIn(factorUID: "a"), expiry: 100))
      let policy = try AttemptPolicy(failuresUntilLock: 1, lockDuration: nil)
      let target = AttemptTarget.phoneFactor(uid: "a", challengeID: "c")
      _ = try await scene.reserved(target, under: policy)
      try await scene.expectUnchanged("a refused attempt") {
        try await scene.expect(
          scene.reserve(.phoneFactor(uid: "no", challengeID: "no"), under: policy), .notFound, "no factor, no challenge"
        )
        try await scene.expect(
          scene.reserve(.phoneFactor(uid: "a", challengeID: "no"), under: policy), .challengeNotFound, "locked")
        try await scene.expect(scene.reserve(target, at: 100, under: policy), .challengeExpired, "locked and expired")
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
