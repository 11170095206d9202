/// The accounts of devices, by serial number: a file with a serial number, a comma and an account on each line.
struct AccountTable {
  /// The largest file accepted, in bytes: enough for half a million devices.
  static let maximumByteCount = 1 << 25

  private let names: [[UInt8]: String]

  init(_ path: PathArgument) throws(ToolError) {
    guard let file = InputFile(path), let bytes = file.bytes(past: Self.maximumByteCount) else {
      throw .data("--accounts: \(path.fileName) cannot be read")
    }
    guard bytes.count <= Self.maximumByteCount else {
      throw .data("--accounts: more than \(Self.maximumByteCount) bytes")
    }
    let start = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
    var names: [[UInt8]: String] = [:]
    for (index, line) in bytes[start...].split(separator: 0x0A, omittingEmptySubsequences: false).enumerated() {
      let parts = line.split(separator: 0x2C, maxSplits: 1, omittingEmptySubsequences: false).map(Self.trimmed)
      if parts.count <= 1, parts.first?.isEmpty ?? true { continue }
      // Quotes are refused, since they would become part of the names.
      guard parts.count == 2, parts.allSatisfy({ !$0.isEmpty && $0.first != 0x22 }),
        let name = String(bytes: parts[1], encoding: .utf8)
      else { throw .data("--accounts: line \(index + 1): not a serial number, a comma and an account") }
      guard names.updateValue(name, forKey: Array(parts[0])) == nil else {
        throw .data("--accounts: line \(index + 1): a serial number that was there before")
      }
    }
    self.names = names
  }

  subscript(_ serial: String) -> String? { names[Array(serial.utf8)] }

  private static func trimmed(_ part: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0D).contains(byte) }
    let rest = part.drop(while: isSpace)
    return rest[..<(rest.lastIndex { !isSpace($0) }.map { $0 + 1 } ?? rest.startIndex)]
  }
}

/// Assigns the keys of a file to accounts.
struct Accounts {
  private let table: AccountTable?
  private let standard: String?
  private let limit: Int
  /// The number of keys of each account, by the hash of its name, since a million names would take much memory.
  private var counts: [Int: Int] = [:]

  /// - Parameters:
  ///   - table: The accounts of devices.
  ///   - standard: The account of keys that neither the table nor the file assigns.
  init(_ table: AccountTable?, standard: String?) throws {
    self.table = table
    self.standard = standard
    limit = try StoreLocation.configuration.maximumFactorCount
  }

  /// The account of the next key.
  mutating func name(for seed: Seed) throws(SeedRefusal) -> String {
    guard let name = seed.serial.flatMap({ table?[$0] }) ?? seed.account ?? standard else {
      throw SeedRefusal(line: seed.line, .account, .missing)
    }
    // `MultiFactor` also compares names by their bytes.
    let hash = Array(name.utf8).hashValue
    guard name.utf8.count <= 256 else { throw SeedRefusal(line: seed.line, .account, .tooLong) }
    guard Principal(id: name).isWellFormed else { throw SeedRefusal(line: seed.line, .account, .malformed) }
    // An account has only factors that a code has confirmed.
    guard seed.isConfirmed else { throw SeedRefusal(line: seed.line, .confirmation, .missing, account: name) }
    guard counts[hash, default: 0] < limit else { throw SeedRefusal(line: seed.line, .account, .full, account: name) }
    _ = try seed.t0()
    counts[hash, default: 0] += 1
    return name
  }
}
