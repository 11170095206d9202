/* The part of libotp's adapter that reads and writes key URIs. */
static otp_hash hash_of(const char *name) {
  return strcmp(name, "SHA1") == 0 ? OTP_SHA1 : strcmp(name, "SHA256") == 0 ? OTP_SHA256 : OTP_SHA512;
}

static const char *read_uri(char **words, char *out, int is_code) {
  char memory[OTP_URI_MEMORY];
  otp_uri uri = OTP_URI_INIT;
  const size_t length = bytes(words[0]);
  if (otp_uri_parse(words[0], length, 0, &uri, memory, sizeof memory, NULL) != OTP_OK) return "refused";
  if (is_code) {
    otp_key *key = NULL;
    const otp_totp_params params = {sizeof params, uri.digits, uri.period, 0};
    otp_key_create(uri.hash, uri.secret, uri.secret_len, &key);
    const otp_status status = uri.type == OTP_HOTP ? otp_hotp(key, uri.counter, uri.digits, out)
                                                   : otp_totp(key, signed_number(words[1]), &params, out);
    otp_key_destroy(key);
    return status == OTP_OK ? NULL : "refused";
  }
  static const char *const hashes[] = {"", "SHA1", "SHA256", "SHA512"};
  out += sprintf(out, "algorithm=%s digits=%u ", hashes[uri.hash], uri.digits);
  out += uri.type == OTP_HOTP ? sprintf(out, "type=hotp counter=%" PRIu64, uri.counter)
                              : sprintf(out, "type=totp period=%" PRId64, uri.period);
  const struct {
    const char *name, *value;
    size_t length;
  } texts[] = {
      {"secret", (const char *)uri.secret, uri.secret_len},
      {"account", uri.account, uri.account_len},
      {"issuer", uri.issuer, uri.issuer_len},
      {"labelIssuer", uri.label_issuer, uri.label_issuer_len}};
  for (size_t i = 0; i < 4; i++) {
    out += sprintf(out, " %s=", texts[i].name);
    if (texts[i].value == NULL) strcpy(out, "-");
    else hexadecimal(out, texts[i].value, texts[i].length);
    out += strlen(out);
  }
  return NULL;
}

static const char *write_uri(char **words, char *out) {
  otp_uri uri = OTP_URI_INIT;
  static char text[LINE];
  size_t length = sizeof text;
  uri.type = strcmp(words[0], "hotp") == 0 ? OTP_HOTP : OTP_TOTP;
  if (*words[1] != '-') {
    uri.issuer_len = bytes(words[1]);
    uri.issuer = words[1];
  }
  uri.account_len = bytes(words[2]);
  uri.account = words[2];
  uri.secret_len = bytes(words[3]);
  uri.secret = (const uint8_t *)words[3];
  uri.hash = hash_of(words[4]);
  uri.digits = (unsigned)number(words[5]);
  if (uri.type == OTP_HOTP) uri.counter = number(words[6]);
  else uri.period = signed_number(words[6]);
  if (otp_uri_build(&uri, 0, text, &length, NULL) != OTP_OK) return "refused";
  hexadecimal(out, text, length);
  return NULL;
}
