@_spi(Diagnostics) import OTP

extension VectorFile {
  /// Runs every test: those that use HMAC once on each backend, the others once.
  ///
  /// - Parameter backends: The backends; `nil` for those of this build and CPU. A test fails on one that is not
  ///   available. Without backends, every test that needs one fails, so that nothing passes by not being run.
  public func run(on backends: [HMACBackend]? = nil) -> VectorReport {
    let backends = backends ?? HMACBackend.present
    var report = VectorReport()
    for group in groups {
      for test in group.tests {
        func record(on target: String?, _ body: () throws(Mismatch) -> Void) {
          do throws(Mismatch) {
            try body()
            report.recordPass(on: target)
          } catch {
            report.record(
              VectorFailure(
                group: group.place, groupID: group.id, groupType: group.type.rawValue, test: test.id, target: target,
                explanation: error.explanation))
          }
        }

        switch test.work {
        case .once(let test): record(on: nil) { () throws(Mismatch) in try test.run() }
        case .onBackend(let test):
          for backend in backends {
            record(on: backend.name) { () throws(Mismatch) in try test.run(on: backend) }
          }
          if backends.isEmpty { record(on: nil) { () throws(Mismatch) in throw Mismatch("no backend to run on") } }
        }
      }
    }
    return report
  }
}
