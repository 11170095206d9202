import CTaint

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

// Runs every scenario under valgrind's memcheck and counts memcheck's reports after each.
// Exits 0 if no scenario was reported and every planted leak was.

guard ct_is_tainted(nil, 0) >= 0 else {
  print("constant-time-check: run me under valgrind (Tests/Checks/constant-time/run.sh)")
  exit(2)
}

var passed = 0
var failed = 0
for scenario in allScenarios() {
  let before = ct_report_count()
  var problem: String?
  do { try scenario.run() } catch { problem = "\(error)" }
  let reports = ct_report_count() - before
  if problem == nil, scenario.isControl != (reports > 0) {
    problem = scenario.isControl ? "the planted leak was not reported" : "memcheck reported it \(reports) times"
  }
  if let problem {
    failed += 1
    print("FAIL  \(scenario.name): \(problem)")
  } else {
    passed += 1
    print("ok    \(scenario.name)\(scenario.isControl ? " (reported, as it must be)" : "")")
  }
}
print("constant time: \(passed) passed, \(failed) failed")
exit(failed == 0 ? 0 : 1)
