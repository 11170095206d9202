import java.util.*;
import java.util.concurrent.*;
import java.util.concurrent.atomic.*;

/** As trial.mjs, by RecordService.java: Trial OTP KEYRING NONSENSE. */
class Trial {
  static final String SUBJECT = "\u00e4\"\\\n", SECRET = "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ";

  static Map<String, Object> request(String operation, Object... fields) {
    var request = new HashMap<String, Object>(Map.of("op", operation, "subject", SUBJECT, "time", 1111111141));
    for (int i = 0; i < fields.length; i += 2) request.put((String) fields[i], fields[i + 1]);
    return request;
  }

  static Map<Object, Integer> answers(RecordService[] services, String code, int count) throws Exception {
    var answer = services[0].ask(request("enroll", "secret", SECRET, "confirmed", true));
    var column = new AtomicReference<>((String) answer.get("record"));
    var threads = Executors.newFixedThreadPool(40);
    var all = new ArrayList<Callable<Object>>();
    for (int index = 0; index < count; index++) {
      var service = services[index % 2];
      // The same text is the same object here, unless another was stored in between.
      all.add(() -> service.underTheRule(request("verify", "code", code), column::get, column::compareAndSet).get("answer"));
    }
    var found = new HashMap<Object, Integer>();
    for (var each : threads.invokeAll(all)) found.merge(each.get(), 1, Integer::sum);
    threads.shutdown();
    return found;
  }

  static void require(boolean condition, String what) {
    if (!condition) {
      System.err.println("record-service: Java: " + what);
      System.exit(1);
    }
  }

  static void refused(String code, Callable<?> call) throws Exception {
    try {
      call.call();
      require(false, code + " is expected");
    } catch (RecordService.RecordException error) {
      require(error.code.equals(code), error.code + ", not " + code);
    }
  }

  public static void main(String[] arguments) throws Exception {
    RecordService[] services = new RecordService[2];
    for (int index = 0; index < 2; index++) services[index] = new RecordService(arguments[0], arguments[1]);
    var service = services[0];
    require(answers(services, "266759", 200).getOrDefault("accepted", 0) == 1, "a code is not accepted once");
    require(answers(services, "000000", 60).getOrDefault("rejected", 0) == 4, "not four are looked at");
    // Every field, of each kind.
    var made = service.ask(request("enroll", "issuer", "\u00e4 \"x\"", "account", "a"));
    require(((String) made.get("uri")).contains("secret=") && made.get("changed").equals(true), "enroll: " + made.keySet());
    var codes = service.ask(request("recoveryCodes", "count", 20));
    require(((List<?>) codes.get("codes")).size() == 20, "recovery codes");
    var info = service.ask(request("info", "record", codes.get("record")));
    require(((List<?>) info.get("unusedCodes")).get(19).equals(20L) && info.get("enrolled").equals(1111111141L), "info");
    var builder = new StringBuilder((String) codes.get("record"));
    require(service.ask(request("info", "record", builder)).equals(info), "a text that is no String");
    var both = List.of("266759", "\u0000");
    refused("missing", () -> service.ask(request("resynchronize", "codes", both)));
    refused("enrolled", () -> service.ask(request("enroll", "issuer", "", "account", "", "record",
        service.ask(request("enroll", "secret", SECRET, "confirmed", true)).get("record"))));
    refused("invalidValue", () -> service.underTheRule(request("recoveryCodes"), () -> null, (old, record) -> false));
    refused("ended", () -> new RecordService("true", "").ask(request("info")));
    // No answer is taken for that of another request.
    try {
      new RecordService(arguments[2], "").ask(request("info"));
      require(false, "another answer is taken");
    } catch (java.io.IOException expected) {
      require(!(expected instanceof RecordService.RecordException), "another answer");
    }
    System.exit(0);
  }
}
