// Steps and counters as `bigint`, which is signed.

struct OutOfRange: Error {}

func column(_ step: UInt64) throws -> Int64 {
  guard let column = Int64(exactly: step) else { throw OutOfRange() }
  return column
}

func step(_ column: Int64?) throws -> UInt64? {
  guard let column else { return nil }
  guard let step = UInt64(exactly: column) else { throw OutOfRange() }
  return step
}

func column(ofCounter counter: UInt64) -> Int64 { Int64(bitPattern: counter ^ (1 << 63)) }
func counter(ofColumn column: Int64) -> UInt64 { UInt64(bitPattern: column) ^ (1 << 63) }
