import MultiFactor
@_spi(Fuzzing) import MultiFactorOperations

@_spi(Fuzzing) extension TokenCodec.Kind {
  /// A verification ID, what is held about a user's messages, and counted messages.
  public static let phone = [
    TokenCodec.Kind("verification", PhoneVerification.self), TokenCodec.Kind("phone", PhoneDocument.self),
    TokenCodec.Kind("messages", MessageLog.self),
  ]
}
