#if SQLite
import Foundation
import GRDB
import MultiFactor

/// How values stand in columns.
enum Column {
  /// A number up to 2^64 - 1 in SQLite's signed integers, in the same order.
  static func ordered(_ number: UInt64) -> DatabaseValue {
    Int64(bitPattern: number ^ (1 << 63)).databaseValue
  }

  static func ordered(_ number: UInt64?) -> DatabaseValue { number.map { ordered($0) } ?? .null }

  static func bytes(_ bytes: some Collection<UInt8>) -> DatabaseValue {
    // GRDB would bind an empty BLOB as NULL. An empty text has no more bytes than that, and stands before all BLOBs.
    bytes.isEmpty ? "".databaseValue : Data(bytes).databaseValue
  }

  static func bytes(_ bytes: [UInt8]?) -> DatabaseValue { bytes.map { Column.bytes($0) } ?? .null }

  static func name(_ name: String) -> DatabaseValue { bytes(name.utf8) }

  static func name(_ name: String?) -> DatabaseValue { name.map { Column.name($0) } ?? .null }

  static func time(_ date: Date) throws -> DatabaseValue { try StoreTime.milliseconds(of: date).databaseValue }

  static func time(_ date: Date?) throws -> DatabaseValue { try date.map { try time($0) } ?? .null }
}

/// The columns of a row, from the first to the last. What this store never writes is an error, not a default.
struct Columns {
  private let row: Row
  private var index = 0

  init(_ row: Row) { self.row = row }

  private mutating func next() throws -> DatabaseValue {
    guard index < row.count else { throw SQLiteFactorStoreError(.corrupt) }
    defer { index += 1 }
    return row[index]
  }

  private mutating func optional<Value>(_ read: (inout Columns) throws -> Value) throws -> Value? {
    guard try next().isNull else {
      index -= 1
      return try read(&self)
    }
    return nil
  }

  mutating func integer() throws -> Int64 {
    guard case .int64(let integer) = try next().storage else { throw SQLiteFactorStoreError(.corrupt) }
    return integer
  }

  /// A number of things.
  mutating func count() throws -> Int {
    guard let count = try Int(exactly: integer()), count >= 0 else { throw SQLiteFactorStoreError(.corrupt) }
    return count
  }

  mutating func flag() throws -> Bool {
    switch try integer() {
    case 0: false
    case 1: true
    default: throw SQLiteFactorStoreError(.corrupt)
    }
  }

  mutating func ordered() throws -> UInt64 { try UInt64(bitPattern: integer()) ^ (1 << 63) }

  mutating func optionalOrdered() throws -> UInt64? { try optional { try $0.ordered() } }

  mutating func bytes() throws -> [UInt8] {
    switch try next().storage {
    case .blob(let data): return Array(data)
    case .string(let text) where text.isEmpty: return []
    default: throw SQLiteFactorStoreError(.corrupt)
    }
  }

  mutating func optionalBytes() throws -> [UInt8]? { try optional { try $0.bytes() } }

  mutating func name() throws -> String {
    let bytes = try bytes()
    let name = String(decoding: bytes, as: UTF8.self)
    // Decoding puts something else in the place of what is no UTF-8.
    guard name.utf8.elementsEqual(bytes) else { throw SQLiteFactorStoreError(.corrupt) }
    return name
  }

  mutating func optionalName() throws -> String? { try optional { try $0.name() } }

  mutating func text() throws -> String {
    guard case .string(let text) = try next().storage else { throw SQLiteFactorStoreError(.corrupt) }
    return text
  }

  mutating func time() throws -> Date {
    let milliseconds = try integer()
    let date = StoreTime.date(milliseconds)
    guard let same = try? StoreTime.milliseconds(of: date), same == milliseconds else {
      throw SQLiteFactorStoreError(.corrupt)
    }
    return date
  }

  mutating func optionalTime() throws -> Date? { try optional { try $0.time() } }

  mutating func attempts() throws -> AttemptState {
    let state = try AttemptState(
      attempts: ordered(), cleared: ordered(), acceptances: ordered(), lastAttempt: optionalTime())
    // It would pass for a state without failures.
    guard state.cleared <= state.attempts else { throw SQLiteFactorStoreError(.corrupt) }
    return state
  }
}
#endif
