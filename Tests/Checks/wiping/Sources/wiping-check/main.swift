import CMemoryProbe

#if canImport(Glibc)
import Glibc
#endif

// Uses the engine, releases what was used, and then looks for any 8 bytes of the key material in all of the process's
// memory: in what was freed, and on the stack. Exit 0: nothing was found, and everything planted on purpose was.

var passed = 0
var failed = 0
for (index, scenario) in allScenarios().enumerated() {
  let problem: String?
  do {
    problem = try scenario.outcome(seed: 0x5EED_0000 + UInt64(index))
  } catch {
    problem = "\(error)"
  }
  if let problem {
    failed += 1
    print("FAIL  \(scenario.name): \(problem)")
  } else {
    passed += 1
    print("ok    \(scenario.name)\(scenario.leavesTraces ? " (found, as it must be)" : "")")
  }
}
print("wiping: \(passed) passed, \(failed) failed")
exit(failed == 0 ? 0 : 1)
