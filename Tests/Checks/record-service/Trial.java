import java.util.*;
import java.util.concurrent.*;
import java.util.concurrent.atomic.*;

/** The same as trial.mjs: Trial OTP KEYRING. */
class Trial {
  static final String COMMON = "\"subject\":\"\u00e4\",\"time\":1111111141,";

  static Map<String, Integer> answers(RecordService[] services, String code, int count) throws Exception {
    var secret = "\"op\":\"enroll\",\"secret\":\"GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ\",\"confirmed\":true";
    // The same subject in ASCII, so that it matters how the other requests are encoded.
    var answer = services[0].ask(COMMON.replace("\u00e4", "\\u00e4") + secret);
    var column = new AtomicReference<>(RecordService.field(answer, "record"));
    var request = COMMON + "\"op\":\"verify\",\"code\":\"" + code + "\"";
    var threads = Executors.newFixedThreadPool(40);
    var all = new ArrayList<Callable<String>>();
    for (int index = 0; index < count; index++) {
      var service = services[index % 2];
      // The same text is the same object here, unless another was stored in between.
      all.add(() -> service.underTheRule(request, column::get, column::compareAndSet));
    }
    var found = new HashMap<String, Integer>();
    for (var each : threads.invokeAll(all)) found.merge(each.get(), 1, Integer::sum);
    threads.shutdown();
    return found;
  }

  public static void main(String[] arguments) throws Exception {
    RecordService[] services = new RecordService[2];
    for (int index = 0; index < 2; index++) services[index] = new RecordService(arguments[0], arguments[1]);
    int accepted = answers(services, "266759", 200).getOrDefault("accepted", 0);
    int looked = answers(services, "000000", 60).getOrDefault("rejected", 0);
    System.out.println(accepted + " accepted; " + looked + " looked at");
    // No answer is taken for that of another request: of a line too many, or of a program that answers something else.
    Callable<String> twoLines = () -> services[0].ask("\"op\":\"info\"}\n{\"op\":\"info\"");
    Callable<String> other = () -> new RecordService("echo", "\"id\":\"0\"").ask("\"op\":\"info\"");
    for (var wrong : List.of(twoLines, other)) {
      try {
        wrong.call();
        System.exit(1);
      } catch (IllegalArgumentException | java.io.IOException expected) {
        continue;
      }
    }
    System.exit(accepted == 1 && looked == 4 ? 0 : 1);
  }
}
