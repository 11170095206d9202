import java.io.*;
import java.nio.charset.StandardCharsets;
import java.util.*;
import java.util.function.*;
import java.util.regex.*;
import java.util.stream.*;

/** Second factors by `otp record serve`, as a child, for Java 17 or later: see Tool/record-service/README.md. */
public class RecordService {
  /** An error of the service's. It is never a wrong code, and never repeats a value. */
  public static class RecordException extends IOException {
    /** Such as "enrolled", or "ended". */
    public final String code;

    RecordException(String code, Object field) {
      super("otp: " + code + (field == null ? "" : ": " + field));
      this.code = code;
    }
  }

  private final Process service;
  private long last = 0;

  public RecordService(String program, String keyring) throws IOException {
    service = new ProcessBuilder(program, "record", "serve", keyring)
        .redirectError(ProcessBuilder.Redirect.INHERIT).start();
  }

  /** Every field of the answer: a String, Long, Boolean or List. The request's are these or a Map. */
  public synchronized Map<String, Object> ask(Map<String, ?> request) throws IOException {
    var fields = new LinkedHashMap<String, Object>(Map.of("id", ++last));
    request.forEach(fields::putIfAbsent);
    String line = null;
    try {
      service.outputWriter(StandardCharsets.UTF_8).append(json(fields)).append("\n").flush();
      line = service.inputReader(StandardCharsets.UTF_8).readLine();
    } catch (IOException error) {
      // It has ended, as it has without a line.
    }
    if (line == null) throw new RecordException("ended", null);
    var answer = read(line);
    if (!Long.valueOf(last).equals(answer.remove("id"))) throw new IOException("otp: not the answer to this request");
    if (answer.get("error") instanceof String code) throw new RecordException(code, answer.get("field"));
    return answer;
  }

  /** Replaces the record that `read` has got with the new one, if it is still there, and answers only then. After
   * sixteen refusals of the same record, as in a column that is NULL, throws RecordException with `invalidValue`. */
  public Map<String, Object> underTheRule(
      Map<String, ?> request, Supplier<String> read, BiPredicate<String, String> replace) throws IOException {
    String previous = null;
    for (int refused = 0; refused < 16; refused++) {
      var fields = new HashMap<String, Object>(request);
      String old = read.get();
      if (!Objects.equals(old, previous)) refused = 0;
      previous = old;
      if (old != null && !old.isEmpty()) fields.put("record", old);
      var answer = ask(fields);
      boolean isChanged = Boolean.TRUE.equals(answer.get("changed"));
      if (!isChanged || replace.test(old, (String) answer.get("record"))) return answer;
    }
    throw new RecordException("invalidValue", "record");
  }

  private static String json(Object value) {
    if (value instanceof Map<?, ?> map) {
      return map.entrySet().stream().map(each -> json(each.getKey()) + ":" + json(each.getValue()))
          .collect(Collectors.joining(",", "{", "}"));
    }
    if (value instanceof Collection<?> list) {
      return list.stream().map(RecordService::json).collect(Collectors.joining(",", "[", "]"));
    }
    if (value == null || value instanceof Number || value instanceof Boolean) return String.valueOf(value);
    if (!(value instanceof CharSequence text)) throw new IllegalArgumentException("otp: not a field's value");
    return text.chars().mapToObj(unit -> unit >= ' ' && unit < 127 && unit != '"' && unit != '\\'
        ? String.valueOf((char) unit) : String.format("\\u%04x", unit)).collect(Collectors.joining("", "\"", "\""));
  }

  // An answer is one object of texts, whole numbers, truth values, and lists of texts or numbers.
  private static final String TEXT = "\"((?:[^\"\\\\]++|\\\\.)*+)\"";
  private static final Pattern VALUE = Pattern.compile(TEXT + "|-?\\d+|true|false");
  private static final Pattern FIELD = Pattern.compile(TEXT + ":(?:\\[([^\\]]*)\\]|(" + VALUE + "))");

  private static Map<String, Object> read(String line) {
    var answer = new HashMap<String, Object>();
    for (Matcher found = FIELD.matcher(line); found.find(); ) {
      answer.put(found.group(1), found.group(2) == null ? value(found.group(3))
          : VALUE.matcher(found.group(2)).results().map(each -> value(each.group())).toList());
    }
    return answer;
  }

  private static Object value(String json) {
    if (json.endsWith("e")) return json.equals("true");
    if (!json.startsWith("\"")) return Long.valueOf(json);
    return Pattern.compile("\\\\(?:u(....)|(.))").matcher(json.substring(1, json.length() - 1)).replaceAll(found -> {
      int escaped = "bfnrt".indexOf(found.group(2) == null ? " " : found.group(2));
      String text = found.group(1) != null ? String.valueOf((char) Integer.parseInt(found.group(1), 16))
          : escaped < 0 ? found.group(2) : "\b\f\n\r\t".substring(escaped, escaped + 1);
      return Matcher.quoteReplacement(text);
    });
  }
}
