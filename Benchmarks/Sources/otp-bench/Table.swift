import Foundation

/// The results of a run, as a Markdown table: each row's time by this engine, and the others' as multiples of it.
enum Table {
  static let head = "| | time | beside it, in multiples of that time |\n|---|---:|---|"

  static func line(_ row: String, _ figures: [Figure]) -> String {
    let own = figures[0]
    let others = figures.dropFirst().map { other in
      "\(other.subject) \(digits(other.nanoseconds / own.nanoseconds))\(doubt(own.spread + other.spread))"
    }
    return "| \(row) | \(time(own.nanoseconds)) | \(others.joined(separator: ", ")) |"
  }

  /// What a ratio may be off by, if that is over a tenth.
  private static func doubt(_ spread: Double) -> String {
    spread > 0.1 ? String(format: " ±%.0f %%", spread * 100) : ""
  }

  private static func time(_ nanoseconds: Double) -> String {
    switch nanoseconds {
    case ..<10_000: "\(digits(nanoseconds)) ns"
    case ..<10_000_000: "\(digits(nanoseconds / 1000)) µs"
    default: "\(digits(nanoseconds / 1_000_000)) ms"
    }
  }

  /// A number with three digits, or all before the point.
  private static func digits(_ number: Double) -> String {
    String(format: number < 9.995 ? "%.2f" : number < 99.95 ? "%.1f" : "%.0f", number)
  }
}
