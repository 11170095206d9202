import CMemoryProbe

/// One use of the engine with its own secret.
struct Scenario {
  let name: String
  /// The secret's size in bytes.
  var byteCount = 20
  /// Whether key material must be found afterward, since the scenario keeps or leaves some on purpose.
  var leavesTraces = false
  /// Uses the secret, and releases everything made from it. It returns nothing, since releasing a result later would
  /// overwrite the stack.
  let use: (Material) throws -> Void

  /// What went wrong, or `nil`.
  func outcome(seed: UInt64) throws -> String? {
    guard probe_prepare(seed, byteCount) > 0 else { return "no needles" }
    let run = Run(scenario: self, material: Material(seed: seed, byteCount: byteCount))
    let count = try run.countOfTraces()
    switch (count, leavesTraces) {
    case (..<0, _): return "the search failed"
    case (0, true): return "the planted trace was not found"
    case (0, false), (_, true): return nil
    default: return "found in \(count) places: \(unsafe String(cString: probe_places()))"
    }
  }
}

/// Plants a trace by keeping a value alive, with what it holds in memory.
func keepAlive(_ value: Any) { unsafe keptAlive.append(value) }

nonisolated(unsafe) private var keptAlive: [Any] = []

/// One run of a scenario.
private final class Run {
  private let scenario: Scenario
  private let material: Material
  private var error: (any Error)?

  init(scenario: Scenario, material: Material) {
    self.scenario = scenario
    self.material = material
  }

  func countOfTraces() throws -> Int {
    defer { withExtendedLifetime(self) {} }
    let argument = unsafe Unmanaged.passUnretained(self).toOpaque()
    let count = unsafe probe_count_after(
      { argument in
        if let argument = unsafe argument { unsafe Unmanaged<Run>.fromOpaque(argument).takeUnretainedValue().use() }
      }, argument)
    if let error { throw error }
    return count
  }

  private func use() {
    do { try scenario.use(material) } catch { self.error = error }
  }
}
