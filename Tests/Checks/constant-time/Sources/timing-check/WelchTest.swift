/// Whether two classes of measurements have the same mean (B. L. Welch, 1947), as dudect uses it (O. Reparaz, J.
/// Balasch, I. Verbauwhede: Dude, is my code constant time?, 2017).
struct WelchTest {
  private var counts = [0.0, 0.0]
  private var means = [0.0, 0.0]
  private var squares = [0.0, 0.0]

  mutating func add(_ value: Double, to group: Int) {
    counts[group] += 1
    let difference = value - means[group]
    means[group] += difference / counts[group]
    squares[group] += difference * (value - means[group])
  }

  /// The statistic. Beyond 4.5 in size, the means are taken to differ.
  var t: Double {
    guard counts[0] > 1, counts[1] > 1 else { return 0 }
    let variance =
      squares[0] / (counts[0] - 1) / counts[0] + squares[1] / (counts[1] - 1) / counts[1]
    return variance > 0 ? (means[0] - means[1]) / variance.squareRoot() : 0
  }
}
