import Foundation

// every-run-check LENGTH: every sequence of actions up to a length, on records, compared with the rules.
var run = try EveryRun()
guard run.codesAreUnique, let length = CommandLine.arguments.dropFirst().first.flatMap({ Int($0) }) else { exit(64) }
try run.run(length: length)
for difference in run.differences { print(difference) }
print("every-run: \(run.transitions) actions of up to \(length) in a row from \(run.states) states, \(run.verdicts)")
exit(run.differences.isEmpty ? 0 : 1)
