extension BenchmarkReport.Row {
  /// The rows that README and the plot show, by their names there, as in `plot.py`.
  static let titles = [
    "verify/sha1/window1/cached": "verify, ±1, SHA-1",
    "verify/sha1/window5/cached": "verify, ±5, SHA-1",
    "verify/sha1/window1/cold": "verify, ±1, SHA-1, from the secret",
    "verify-batch/sha1/window1": "verify 1,024 people at once, ±1, SHA-1",
    "codes-batch/sha1": "4,096 codes, SHA-1",
    "codes-batch/sha256": "4,096 codes, SHA-256",
    "codes-batch/sha512": "4,096 codes, SHA-512",
  ]

  /// The row's name in README, if it is there, after its own.
  public var title: String { Self.titles[name].map { "\(name) (\($0))" } ?? name }

  /// Whether a row, by its name or that in README, is asked for.
  public static func matches(_ name: String, filter: String) -> Bool {
    name.contains(filter) || titles[name]?.contains(filter) == true
  }
}
