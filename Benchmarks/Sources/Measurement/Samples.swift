/// The times of one subject of one row, in nanoseconds per operation: one sample per round.
public struct Samples: Sendable {
  private let sorted: [Double]

  /// Samples in any order, at least one.
  public init(_ samples: [Double]) {
    precondition(!samples.isEmpty)
    sorted = samples.sorted()
  }

  /// The median; for an even number of samples, the mean of the two in the middle.
  public var median: Double {
    let middle = sorted.count / 2
    return sorted.count.isMultiple(of: 2) ? (sorted[middle - 1] + sorted[middle]) / 2 : sorted[middle]
  }

  /// Half the distance between the first and the last decile, as a fraction of the median.
  public var spread: Double {
    let last = sorted.count - 1
    return (sorted[last - last / 10] - sorted[last / 10]) / 2 / median
  }
}
