import OTP

/// A test of one group type.
protocol VectorTest: Sendable {
  var work: VectorWork { get }
}

/// A test that uses HMAC, and so is run once on each backend.
protocol BackendVectorTest: VectorTest {
  func run(on backend: HMACBackend) throws(Mismatch)
}

/// A test that does not use a backend.
protocol PlainVectorTest: VectorTest {
  func run() throws(Mismatch)
}

/// How a test is run: once on each backend, or once.
enum VectorWork: Sendable {
  case onBackend(any BackendVectorTest)
  case once(any PlainVectorTest)
}

extension BackendVectorTest {
  var work: VectorWork { .onBackend(self) }
}

extension PlainVectorTest {
  var work: VectorWork { .once(self) }
}
