import CPeers
import FactorRecord
import Keyring
import OTP

/// A record opened, verified over one step on either side, and sealed again.
enum RecordRows {
  static func all(_ peers: [peer]) -> [Row] {
    [("accepted", true), ("rejected", false)].map { answer, isRight in
      Row(name: "record, \(answer)") {
        let step = Fixtures.firstStep
        let secret = Fixtures.secret(for: .sha1)
        let code = isRight ? try Fixtures.code(secret, .sha1, step) : Fixtures.guess
        let (user, keyring, time) = (Array("user 42".utf8), try Keyring(), Fixtures.time(ofStep: step))
        let column = try FactorRecord.totp(secret: OTPSecret(bytes: secret), isPending: false, at: time)
          .sealed(by: keyring, for: user)
        func subject(_ subject: String, _ verify: @escaping () -> Bool?) throws -> Subject {
          // Twice, since the floor has sealed another record then.
          try require(verify() == isRight && verify() == isRight, subject)
          return Subject(subject) { _ in consume(verify() == isRight) }
        }
        let own = try subject("swift-otp") {
          guard var record = try? FactorRecord(sealed: column.span, by: keyring, for: user),
            let answer = try? record.verify(code, at: time), let changed = try? record.sealed(by: keyring, for: user),
            changed != column
          else { return nil }
          return answer.isAccepted
        }
        let typed = Array(code.utf8CString)
        return try [own]
          + peers.compactMap { peer in
            guard let enroll = unsafe peer.enroll, let verify = unsafe peer.verify_record else { return nil }
            unsafe enroll(secret, step)
            return try subject(unsafe String(cString: peer.name)) {
              let answer = unsafe verify(step, typed)
              return answer < 0 ? nil : answer == 1
            }
          }
      }
    }
  }
}
