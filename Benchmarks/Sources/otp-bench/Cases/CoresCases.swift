import Foundation
import OTP

/// `verify-batch/sha1/window1/cores{1,2,4,…}`: the same batches on several cores at once, a thread and its own people
/// for each. A verification's time is that of all divided by how many there were.
enum CoresCases {
  /// The batches that a thread verifies in one sample: some milliseconds.
  private static let batches = 256

  static var all: [Case] {
    let cores = ProcessInfo.processInfo.activeProcessorCount
    let powers = sequence(first: 1) { $0 * 2 }.prefix { $0 < cores }
    return (Array(powers) + [cores]).map(onCores)
  }

  private static func onCores(_ cores: Int) -> Case {
    let row = "verify-batch/sha1/window1/cores\(cores)"
    return Case(name: row, unit: "verification") {
      let secrets = (0..<cores).map { core in
        (0..<BatchCases.people).map { Fixtures.secret(for: .sha1, core * BatchCases.people + $0) }
      }
      let guess = try SubmittedCode(Fixtures.guess)
      let window = try VerificationWindow.adjacent(1)
      var subjects = [
        together(
          try secrets.map { secrets in
            BatchCases.swiftOTP(try secrets.map { try TOTP(secret: OTPSecret(bytes: $0)) }, window, guess)
          })
      ]
      if LibOTP.isLoaded { subjects.append(together(try secrets.map { try LibOTPBatch.subject(row, $0) })) }
      return subjects
    }
  }

  /// A subject that calls all others at once, each on a thread of its own.
  private static func together(_ subjects: [Subject]) -> Subject {
    Subject(subjects[0].name) {
      let start = DispatchTime.now().uptimeNanoseconds
      let done = DispatchGroup()
      for subject in subjects {
        done.enter()
        // Each subject is used by one thread at a time.
        nonisolated(unsafe) let call = subject.call
        Thread.detachNewThread {
          for input in 0..<batches { unsafe call(input) }
          done.leave()
        }
      }
      done.wait()
      let elapsed = Double(DispatchTime.now().uptimeNanoseconds - start)
      return elapsed / Double(batches * subjects.reduce(0) { $0 + $1.operationsPerCall })
    }
  }
}
