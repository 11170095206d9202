import OTP

#if canImport(Glibc)
import Glibc
#endif

// Uses the engine, releases everything, and then searches all of the process's memory, freed memory and the used stack
// included, for any 8 bytes of the key material.
//
// Without arguments it prints the scenarios' names, one per line. With a number, counted from 0, it runs that scenario
// and exits 0 if nothing was found or, for a control, the planted trace was. run.sh runs each scenario in its own
// process, since a function's first call leaves other traces than its second.

OTPEngine.keepLibcryptoAtExit()
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
