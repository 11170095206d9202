#if canImport(Glibc)
import Glibc
#endif

// Uses the engine, releases what was used, and then looks for any 8 bytes of the key material in all of the process's
// memory: in what was freed, and on the stack that the use ran on.
//
// Without arguments it prints the scenarios' names, one a line. With a number, 0 being the first, it runs that scenario;
// exit 0 if nothing was found, or if what was planted on purpose was. run.sh runs each in a process of its own, since a
// first call of a function leaves other traces than a second.

let scenarios = allScenarios()
guard CommandLine.arguments.count == 2, let number = Int(CommandLine.arguments[1]) else {
  for scenario in scenarios { print(scenario.name) }
  exit(0)
}
guard scenarios.indices.contains(number) else { exit(64) }

let scenario = scenarios[number]
let problem: String?
do { problem = try scenario.outcome(seed: 0x5EED_0000 + UInt64(number)) } catch { problem = "\(error)" }
if let problem {
  print("FAIL  \(scenario.name): \(problem)")
  exit(1)
}
print("ok    \(scenario.name)\(scenario.leavesTraces ? " (found, as it must be)" : "")")
