#if PostgreSQL
import CLibpq
import Foundation
import MultiFactor

/// A connection to one server, for one thread at a time.
@safe final class Connection {
  /// Why a statement failed.
  enum Failure: Error {
    /// The server refused it, and rolled it back.
    case refused(sqlState: String)
    /// The connection was lost, or the response was late: the statement's outcome is unknown. The connection must not
    /// be used again.
    case lost(inTime: Bool)
  }

  private let handle: OpaquePointer
  /// Whether the server has sent a warning since the last statement started.
  private let hasWarned: UnsafeMutablePointer<Bool>
  /// The name of the server's timeline when it was last checked for lost changes.
  var timeline = ""
  /// When the server responded last.
  private var responseTime = ContinuousClock.now
  /// The statements that the server has prepared. They are few, and comparing a string with itself takes no time.
  private var prepared: [(sql: String, name: String)] = []

  /// Connects, or gives up at the deadline.
  init(_ parameters: [ConnectionParameter], until deadline: ContinuousClock.Instant)
    throws(FactorStoreError)
  {
    let keywords: [[UInt8]?] = parameters.map { Array($0.keyword.utf8) }
    let values: [[UInt8]?] = parameters.map { Array($0.value.utf8) }
    let started = unsafe withPointers(to: keywords) { keywords in
      unsafe withPointers(to: values) { values in unsafe PQconnectStartParams(keywords, values, 0) }
    }
    guard let handle = unsafe started else { throw FactorStoreError(.unreachable) }
    unsafe self.handle = handle
    unsafe hasWarned = .allocate(capacity: 1)
    unsafe hasWarned.initialize(to: false)
    // A server's messages may contain users and values: keep only their codes.
    unsafe PQsetErrorVerbosity(handle, PQERRORS_SQLSTATE)
    unsafe PQsetNoticeReceiver(
      handle,
      { hasWarned, report in
        guard let severity = unsafe PQresultErrorField(report, Int32(OTP_PQ_SEVERITY)) else { return }
        if unsafe strcmp(severity, "WARNING") == 0 { unsafe hasWarned?.storeBytes(of: true, as: Bool.self) }
      }, hasWarned)
    try connect(until: deadline)
  }

  deinit {
    unsafe PQfinish(handle)
    unsafe hasWarned.deallocate()
  }

  private func connect(until deadline: ContinuousClock.Instant) throws(FactorStoreError) {
    var (poll, stage) = (PGRES_POLLING_WRITING, unsafe PQstatus(handle))
    while poll != PGRES_POLLING_OK {
      guard stage != CONNECTION_BAD, poll != PGRES_POLLING_FAILED else { throw refusal(at: stage) }
      guard wait(for: poll == PGRES_POLLING_READING ? POLLIN : POLLOUT, until: deadline) else {
        throw FactorStoreError(.unreachable)
      }
      poll = unsafe PQconnectPoll(handle)
      if poll != PGRES_POLLING_FAILED { stage = unsafe PQstatus(handle) }
    }
    // Otherwise a large document could block the thread past the deadline.
    guard unsafe PQsetnonblocking(handle, 1) == 0 else { throw FactorStoreError(.unreachable) }
  }

  /// Why the connection failed, judged by how far it got, because libpq's messages may be in any language.
  private func refusal(at stage: ConnStatusType) -> FactorStoreError {
    let words = unsafe String(cString: PQerrorMessage(handle)).split { $0.isWhitespace }
    if let code = words.last, code.utf8.count == 5, code.utf8.allSatisfy({ 0x30...0x39 ~= $0 || 0x41...0x5A ~= $0 }) {
      return FactorStoreError(sqlState: String(code))
    }
    if stage == CONNECTION_SSL_STARTUP { return FactorStoreError(.untrusted) }
    let isOfAuthentication =
      unsafe PQconnectionNeedsPassword(handle) == 1 || words.contains { $0 == "channel" || $0 == "SCRAM" }
    return FactorStoreError(isOfAuthentication ? .authenticationFailed : .unreachable)
  }

  /// Runs one statement, in its own transaction unless one was begun. What was committed is durable when this returns.
  ///
  /// - Parameters:
  ///   - sql: The statement.
  ///   - arguments: Its parameters, in the server's binary format; `nil` for NULL.
  ///   - deadline: When to give up.
  func run(
    _ sql: String, _ arguments: [[UInt8]?] = [], until deadline: ContinuousClock.Instant
  ) throws(Failure) -> Rows {
    unsafe hasWarned.pointee = false
    return try results(until: deadline) {
      unsafe withParameters(arguments) { count, values, lengths, formats in
        if let name = prepared.first(where: { $0.sql == sql })?.name {
          unsafe PQsendQueryPrepared(handle, name, count, values, lengths, formats, 1)
        } else {
          unsafe PQsendQueryParams(handle, sql, count, nil, values, lengths, formats, 1)
        }
      }
    }
  }

  /// Has the server prepare a statement for this connection.
  func prepare(_ sql: String, until deadline: ContinuousClock.Instant) throws(Failure) {
    let name = "swift-otp-\(prepared.count)"
    _ = try results(until: deadline) { unsafe PQsendPrepare(handle, name, sql, 0, nil) }
    prepared.append((sql, name))
  }

  /// Sends a request, and reads the server's whole response: an error in a commit comes after the rows.
  private func results(
    until deadline: ContinuousClock.Instant, _ send: () -> Int32
  ) throws(Failure) -> Rows {
    guard send() == 1 else { throw .lost(inTime: true) }
    while true {
      let left = unsafe PQflush(handle)
      if left == 0 { break }
      guard left == 1 else { throw .lost(inTime: true) }
      guard wait(for: POLLIN | POLLOUT, until: deadline) else { throw .lost(inTime: false) }
      guard unsafe PQconsumeInput(handle) == 1 else { throw .lost(inTime: true) }
    }
    var (rows, code): (Rows?, String?)
    while true {
      while unsafe PQisBusy(handle) == 1 {
        guard wait(for: POLLIN, until: deadline) else { throw .lost(inTime: false) }
        guard unsafe PQconsumeInput(handle) == 1 else { throw .lost(inTime: true) }
      }
      guard let result = unsafe PQgetResult(handle) else { break }
      let answer = unsafe Rows(result)
      switch answer.status {
      case PGRES_TUPLES_OK, PGRES_COMMAND_OK: rows = answer
      default: code = answer.sqlState
      }
    }
    guard unsafe PQstatus(handle) == CONNECTION_OK else { throw .lost(inTime: true) }
    if let code { throw .refused(sqlState: code) }
    // If a commit no longer waits for its standby, the server sends a warning.
    guard let rows, unsafe !hasWarned.pointee else { throw .lost(inTime: true) }
    responseTime = .now
    return rows
  }

  /// Whether the server has responded in the time before now, and sent nothing since then: neither an error, nor that
  /// it closes the connection. One that was idle for longer can be lost without a sign.
  func isLively(for time: Duration) -> Bool {
    var socket = unsafe pollfd(fd: PQsocket(handle), events: Int16(POLLIN), revents: 0)
    return unsafe responseTime > .now - time && poll(&socket, 1, 0) == 0
  }

  /// Waits for the socket.
  ///
  /// - Returns: Whether it became ready, or failed, before the deadline.
  private func wait(for events: Int32, until deadline: ContinuousClock.Instant) -> Bool {
    while true {
      let left = ContinuousClock.now.duration(to: deadline)
      guard left > .zero else { return false }
      var socket = unsafe pollfd(fd: PQsocket(handle), events: Int16(events), revents: 0)
      let milliseconds = min(left / .milliseconds(1), 1_000_000)
      let count = unsafe poll(&socket, 1, Int32(milliseconds) + 1)
      if count > 0 || (count < 0 && errno != EINTR) { return true }
    }
  }
}

/// Passes pointers to zero-terminated bytes, or null pointers for `nil`, followed by a null pointer.
private func withPointers<Result>(
  to texts: [[UInt8]?], _ body: (UnsafePointer<UnsafePointer<CChar>?>) -> Result
) -> Result {
  var all: [UInt8] = []
  all.reserveCapacity(texts.reduce(0) { $0 + ($1?.count ?? 0) + 1 })
  for case let text? in texts {
    all += text
    all.append(0)
  }
  return unsafe all.withUnsafeBytes { bytes in
    var pointers = unsafe [UnsafePointer<CChar>?]()
    unsafe pointers.reserveCapacity(texts.count + 1)
    var start = 0
    for text in texts {
      guard let text else {
        unsafe pointers.append(nil)
        continue
      }
      unsafe pointers.append(bytes.baseAddress.map { unsafe ($0 + start).assumingMemoryBound(to: CChar.self) })
      start += text.count + 1
    }
    unsafe pointers.append(nil)
    return unsafe body(pointers)
  }
}

/// Passes parameters in libpq's form, all in binary.
private func withParameters<Result>(
  _ arguments: [[UInt8]?],
  _ body: (
    Int32, UnsafePointer<UnsafePointer<CChar>?>, UnsafePointer<Int32>, UnsafePointer<Int32>
  ) -> Result
) -> Result {
  let lengths = arguments.map { Int32($0?.count ?? 0) }
  let formats = arguments.map { _ in Int32(1) }
  return unsafe withPointers(to: arguments) { values in
    unsafe body(Int32(arguments.count), values, lengths, formats)
  }
}
#endif
