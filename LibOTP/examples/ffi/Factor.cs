// A second factor by libotp, through .NET's P/Invoke. It enrolls user 42, and answers each code that is typed.
//
//   Factor KEYRING
using System;
using System.Runtime.InteropServices;
using System.Text;

static class OTP {
  // From otp.h: size_t is nuint (UIntPtr), an enumeration int, and a structure has its members in otp.h's order.
  const string Library = "libotp.so.0";

  [StructLayout(LayoutKind.Sequential)]
  public struct Answer {
    public UIntPtr Size;
    public int Kind, Status, Reason, Changed;
    public ulong Step;
    public long Drift;
    public int HasUntil;
    public long Until;
  }

  public const int Enrolled = 2;

  [DllImport(Library)] public static extern int otp_self_test();
  [DllImport(Library)] public static extern IntPtr otp_status_string(int status);
  [DllImport(Library)] public static extern IntPtr otp_answer_kind_string(int kind);
  [DllImport(Library)] public static extern int otp_keyring_open(string path, out IntPtr keyring);
  [DllImport(Library)] public static extern void otp_keyring_destroy(IntPtr keyring);
  [DllImport(Library)] public static extern int otp_answer_init(ref Answer answer);
  [DllImport(Library)] public static extern int otp_record_enroll(
    IntPtr keyring, byte[] subject, UIntPtr subjectLength, IntPtr enrollment, byte[] previous, UIntPtr previousLength,
    long now, [Out] byte[] record, ref UIntPtr length);
  [DllImport(Library)] public static extern int otp_record_uri(
    IntPtr keyring, byte[] subject, UIntPtr subjectLength, byte[] record, UIntPtr recordLength, byte[] issuer,
    UIntPtr issuerLength, byte[] account, UIntPtr accountLength, [Out] byte[] uri, ref UIntPtr length);
  [DllImport(Library)] public static extern int otp_record_confirm(
    IntPtr keyring, byte[] subject, UIntPtr subjectLength, byte[] record, UIntPtr recordLength, byte[] typed,
    UIntPtr typedLength, long now, IntPtr policy, [Out] byte[] next, ref UIntPtr length, ref Answer answer);
  [DllImport(Library)] public static extern int otp_record_verify(
    IntPtr keyring, byte[] subject, UIntPtr subjectLength, byte[] record, UIntPtr recordLength, byte[] typed,
    UIntPtr typedLength, long now, IntPtr policy, [Out] byte[] next, ref UIntPtr length, ref Answer answer);

  public static UIntPtr Length(byte[] bytes) { return (UIntPtr)bytes.Length; }

  // Throws what a function's status means, unless that is success.
  public static void Check(int status) {
    if (status != 0) throw new InvalidOperationException(Marshal.PtrToStringAnsi(otp_status_string(status)));
  }

  public delegate int Writer(byte[] bytes, ref UIntPtr length);

  // The bytes that a function writes, which takes a buffer and its length.
  public static byte[] Written(int size, Writer function) {
    var bytes = new byte[size];
    var length = Length(bytes);
    Check(function(bytes, ref length));
    Array.Resize(ref bytes, (int)length);
    return bytes;
  }
}

static class Program {
  static long Now { get { return DateTimeOffset.UtcNow.ToUnixTimeSeconds(); } }

  static void Main(string[] arguments) {
    byte[] subject = Encoding.UTF8.GetBytes("user 42"), issuer = Encoding.UTF8.GetBytes("Example"),
      account = Encoding.UTF8.GetBytes("alice");
    IntPtr keyring;
    OTP.Check(OTP.otp_self_test());
    OTP.Check(OTP.otp_keyring_open(arguments[0], out keyring));

    // The column otp of the user's row.
    var column = OTP.Written(1536, (byte[] next, ref UIntPtr length) => OTP.otp_record_enroll(
      keyring, subject, OTP.Length(subject), IntPtr.Zero, null, UIntPtr.Zero, Now, next, ref length));
    Console.WriteLine(Encoding.UTF8.GetString(OTP.Written(2049, (byte[] uri, ref UIntPtr length) => OTP.otp_record_uri(
      keyring, subject, OTP.Length(subject), column, OTP.Length(column), issuer, OTP.Length(issuer), account,
      OTP.Length(account), uri, ref length))));

    string line;
    for (var isEnrolled = false; (line = Console.ReadLine()) != null;) {
      var typed = Encoding.UTF8.GetBytes(line);
      var answer = new OTP.Answer { Size = (UIntPtr)Marshal.SizeOf(typeof(OTP.Answer)) };
      OTP.Check(OTP.otp_answer_init(ref answer));
      var replacement = OTP.Written(1536, (byte[] next, ref UIntPtr length) => isEnrolled
        ? OTP.otp_record_verify(
            keyring, subject, OTP.Length(subject), column, OTP.Length(column), typed, OTP.Length(typed), Now,
            IntPtr.Zero, next, ref length, ref answer)
        : OTP.otp_record_confirm(
            keyring, subject, OTP.Length(subject), column, OTP.Length(column), typed, OTP.Length(typed), Now,
            IntPtr.Zero, next, ref length, ref answer));
      // UPDATE users SET otp = @new WHERE id = 42 AND otp = @old: answer only if one row has changed; else read again.
      if (answer.Changed == 1) column = replacement;
      Console.WriteLine(Marshal.PtrToStringAnsi(OTP.otp_answer_kind_string(answer.Kind)));
      isEnrolled |= answer.Kind == OTP.Enrolled;
    }
    OTP.otp_keyring_destroy(keyring);
  }
}
