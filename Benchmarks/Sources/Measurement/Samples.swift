/// What one subject of one row took, in nanoseconds per operation: a sample a round.
public struct Samples: Sendable {
  private let sorted: [Double]

  /// Samples in any order, one at least.
  public init(_ samples: [Double]) {
    precondition(!samples.isEmpty)
    sorted = samples.sorted()
  }

  /// The middle sample; of an even number, the mean of the two in the middle.
  public var median: Double {
    let middle = sorted.count / 2
    return sorted.count.isMultiple(of: 2) ? (sorted[middle - 1] + sorted[middle]) / 2 : sorted[middle]
  }

  /// Half the distance between the first and the last tenth, as a part of the median: how far from it samples lie.
  public var spread: Double {
    let last = sorted.count - 1
    return (sorted[last - last / 10] - sorted[last / 10]) / 2 / median
  }
}
