import OTP

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

// timing-check COUNT: makes COUNT measurements of each comparison, and prints its t statistic. Exits 1 unless every one
// stays under 4.5 and the planted leak does not.

guard CommandLine.arguments.count >= 2, let count = Int(CommandLine.arguments[1]), count > 0 else {
  print("usage: timing-check COUNT")
  exit(64)
}
var strayed = 0
for comparison in try comparisons() {
  let t = comparison.measure(count: count)
  let differs = abs(t) >= 4.5
  let isRight = differs == comparison.isControl
  if !isRight { strayed += 1 }
  let verdict = comparison.isControl ? (differs ? "seen, as it must be" : "NOT SEEN") : differs ? "DIFFERS" : "same"
  print("t = \(Double(Int(t * 100)) / 100)  \(verdict)  \(comparison.name)")
}
print("timing: \(count) measurements each, \(strayed) not as expected")
exit(strayed > 0 ? 1 : 0)
