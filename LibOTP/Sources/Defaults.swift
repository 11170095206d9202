// otp.h documents these functions, and otp_defaults.h has the values.
// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

public import COTP

@c @implementation
public func otp_totp_params_init(_ out: UnsafeMutablePointer<otp_totp_params>?) -> otp_status {
  unsafe set(out, to: default_totp_params)
}

@c @implementation
public func otp_window_init(_ out: UnsafeMutablePointer<otp_window>?) -> otp_status {
  unsafe set(out, to: default_window)
}

@c @implementation
public func otp_uri_init(_ out: UnsafeMutablePointer<otp_uri>?) -> otp_status {
  unsafe set(out, to: default_uri)
}

@c @implementation
public func otp_record_policy_init(_ out: UnsafeMutablePointer<otp_record_policy>?) -> otp_status {
  unsafe set(out, to: default_record_policy)
}

@c @implementation
public func otp_record_policy_strict_init(_ out: UnsafeMutablePointer<otp_record_policy>?) -> otp_status {
  unsafe set(out, to: default_record_policy_strict)
}

@c @implementation
public func otp_answer_init(_ out: UnsafeMutablePointer<otp_answer>?) -> otp_status {
  unsafe set(out, to: default_answer)
}

@c @implementation
public func otp_enrollment_init(_ out: UnsafeMutablePointer<otp_enrollment>?) -> otp_status {
  unsafe set(out, to: default_enrollment)
}

private func set<T: SizedStructure>(_ out: UnsafeMutablePointer<T>?, to value: T) -> otp_status {
  call { () throws(CallError) in
    let out = try unsafe required(out)
    unsafe out.write(value, size: try out.writableSize())
  }
}
