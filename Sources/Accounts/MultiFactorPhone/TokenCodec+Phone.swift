import MultiFactor
@_spi(Fuzzing) import MultiFactorOperations

@_spi(Fuzzing) extension TokenCodec.Kind {
  /// The layouts of a verification ID, of a user's challenges and messages, and of counted messages.
  public static let phone = [
    TokenCodec.Kind("verification", PhoneVerification.self), TokenCodec.Kind("phone", PhoneDocument.self),
    TokenCodec.Kind("messages", MessageLog.self),
  ]
}
