/* The start, and the keys. */
#include "otp_record.h"

#include "access/parallel.h"
#include "access/xlog.h"
#include "common/hashfn.h"
#include "storage/fd.h"
#include "utils/guc.h"

PG_MODULE_MAGIC;

bool has_events;
uint64 restoration;
static char *keyring_path;
static otp_keyring *keyring;

void refuse(int code, const char *what, const char *hint) {
  ereport(ERROR, (errcode(code), errmsg("otp_record: %s", what), hint != NULL ? errhint("%s", hint) : 0));
}

void check(otp_status status) {
  int code = ERRCODE_EXTERNAL_ROUTINE_EXCEPTION;
  if (status < OTP_RANDOMNESS_UNAVAILABLE || (status >= OTP_INVALID_SUBJECT && status < 100)) {
    code = ERRCODE_INVALID_PARAMETER_VALUE;
  }
  if (status == OTP_ENROLLED) code = ERRCODE_UNIQUE_VIOLATION;
  if (status != OTP_OK) refuse(code, otp_status_string(status), NULL);
}

const otp_keyring *keys(void) {
  if (keyring == NULL) {
    refuse(
        ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE, "there is no keyring",
        "Name a keyring's file in otp_record.keyring, and reload. The server's log says what is wrong with it.");
  }
  return keyring;
}

/* Runs at the start and, in each process, when the configuration is reloaded, also if the name is the same. If the file
 * cannot be read, the keys that were there stay. */
static void open_keyring(const char *path, void *unused) {
  otp_keyring *opened = NULL;
  /* Its settings are restored; its keys were inherited. */
  if (InitializingParallelWorker) return;
  const otp_status status = path[0] == '\0' ? OTP_OK : otp_keyring_open(path, &opened);
  if (status != OTP_OK) {
    /* By each process that may use the keys, and the one that all others come from. */
    ereport(
        IsUnderPostmaster && !OidIsValid(MyDatabaseId) ? DEBUG1 : LOG,
        (errmsg("otp_record: the keyring was not read: %s", otp_status_string(status))));
    return;
  }
  otp_keyring_destroy(keyring);
  keyring = opened;
}

/* The label says where and when the backup began. The recovery from it, if there is one, only renames the file. */
static uint64 hash_of_label(void) {
  unsigned char label[1024];
  FILE *file = AllocateFile(BACKUP_LABEL_FILE, "r");
  if (file == NULL) file = AllocateFile(BACKUP_LABEL_OLD, "r");
  if (file == NULL) return 0;
  const int length = (int)fread(label, 1, sizeof label, file);
  FreeFile(file);
  return hash_bytes_extended(label, length, 0);
}

void _PG_init(void);
void _PG_init(void) {
  if (!process_shared_preload_libraries_in_progress) {
    refuse(
        ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE, "it is not preloaded",
        "Add otp_record to shared_preload_libraries, and restart the server.");
  }
  /* Before the first fork: backends inherit an initialized libcrypto, the tests' results, and the keys. */
  check(otp_self_test());
  restoration = hash_of_label();
  DefineCustomStringVariable(
      "otp_record.keyring", "The file of the keys that seal records.", NULL, &keyring_path, "", PGC_SIGHUP,
      GUC_SUPERUSER_ONLY, NULL, open_keyring, NULL);
  DefineCustomBoolVariable(
      "otp_record.events", "Whether otp.event gets a row for what is done.", NULL, &has_events, true, PGC_SUSET, 0,
      NULL, NULL, NULL);
  MarkGUCPrefixReserved("otp_record");
}
