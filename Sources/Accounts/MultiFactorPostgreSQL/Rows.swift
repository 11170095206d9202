#if PostgreSQL
import CLibpq
import Foundation
import MultiFactor

/// The result of a statement, in binary.
@safe final class Rows {
  private let result: OpaquePointer
  let count: Int

  init(_ result: OpaquePointer) {
    unsafe self.result = unsafe result
    count = unsafe Int(PQntuples(result))
  }

  deinit { unsafe PQclear(result) }

  var status: ExecStatusType { unsafe PQresultStatus(result) }

  /// The server's error code.
  var sqlState: String {
    unsafe PQresultErrorField(result, Int32(OTP_PQ_SQLSTATE)).map { unsafe String(cString: $0) } ?? ""
  }

  /// The bytes in a cell; `nil` for NULL.
  func bytes(_ row: Int, _ column: Int) -> [UInt8]? {
    guard unsafe PQgetisnull(result, Int32(row), Int32(column)) == 0 else { return nil }
    let count = unsafe PQgetlength(result, Int32(row), Int32(column))
    let start = unsafe UnsafeRawPointer(PQgetvalue(result, Int32(row), Int32(column)))
    return unsafe Array(UnsafeRawBufferPointer(start: start, count: Int(count)))
  }

  func text(_ row: Int, _ column: Int) -> String? { bytes(row, column).map { String(decoding: $0, as: UTF8.self) } }

  /// A Boolean; `false` for NULL.
  func isTrue(_ row: Int, _ column: Int) -> Bool { bytes(row, column) == [1] }

  /// An integer of 2, 4 or 8 bytes; `nil` for NULL.
  func integer(_ row: Int, _ column: Int) -> Int64? {
    guard let bytes = bytes(row, column), let first = bytes.first, bytes.count <= 8 else { return nil }
    return bytes.reduce(first < 0x80 ? 0 : -1) { $0 << 8 | Int64($1) }
  }

  /// A date, from milliseconds since 1970; `nil` for NULL.
  func date(_ row: Int, _ column: Int) -> Date? {
    integer(row, column).map { Date(unixMilliseconds: $0) }
  }
}

/// Values in the server's binary format.
enum Binary {
  static func integer<Integer: FixedWidthInteger>(_ value: Integer) -> [UInt8] {
    unsafe withUnsafeBytes(of: value.bigEndian) { unsafe Array($0) }
  }

  static func bool(_ value: Bool) -> [UInt8] { [value ? 1 : 0] }

  /// An array of `bytea`.
  static func array(_ elements: [[UInt8]]) -> [UInt8] { array(elements, ofType: 17) }

  /// An array of `bigint`.
  static func array(_ elements: [Int64]) -> [UInt8] { array(elements.map { integer($0) }, ofType: 20) }

  /// The number of dimensions, whether there are NULLs, the element type, the count, and the index of the first
  /// element; then each element after its length.
  private static func array(_ elements: [[UInt8]], ofType type: Int32) -> [UInt8] {
    var bytes = [1, 0, type, Int32(elements.count), 1].flatMap { integer($0) }
    bytes.reserveCapacity(bytes.count + elements.reduce(0) { $0 + $1.count + 4 })
    for element in elements {
      bytes += integer(Int32(element.count))
      bytes += element
    }
    return bytes
  }
}
#endif
