/* The start, and the keys. */
#include "otp_record.h"

#include "access/parallel.h"
#include "access/xlog.h"
#include "common/hashfn.h"
#include "storage/fd.h"
#include "utils/guc.h"

#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

PG_MODULE_MAGIC;

bool has_events;
uint64 restoration;
static char *keyring_path, *keyring_command;
/* What the two settings have given; the command's is used if there is one. */
static otp_keyring *of_file, *of_command;
/* A file in memory with what the command has printed. Only the postmaster runs it; its children inherit the file. */
static int printed;

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
  if (of_command == NULL && of_file == NULL) {
    refuse(
        ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE, "there is no keyring",
        "Name a keyring's file in otp_record.keyring, and reload. The server's log says what is wrong with it.");
  }
  return of_command != NULL ? of_command : of_file;
}

/* If the file cannot be read, the keys that were there stay. */
static void open_keyring(const char *path, otp_keyring **keyring) {
  otp_keyring *opened = NULL;
  const otp_status status = path[0] == '\0' ? OTP_OK : otp_keyring_open(path, &opened);
  if (status != OTP_OK) {
    /* By each process that may use the keys, and the one that all others come from. */
    ereport(
        IsUnderPostmaster && !OidIsValid(MyDatabaseId) ? DEBUG1 : LOG,
        (errmsg("otp_record: the keyring was not read: %s", otp_status_string(status))));
    return;
  }
  otp_keyring_destroy(*keyring);
  *keyring = opened;
}

/* Both run at the start and, in each process, when the configuration is reloaded, also if the value is the same; not in
 * a parallel worker, whose settings are restored, and whose keys were inherited. */
static void use_file(const char *path, void *unused) {
  if (!InitializingParallelWorker) open_keyring(path, &of_file);
}

/* As the server's user, by the shell. If it fails, what was printed before stays. */
static void run_command(const char *command) {
  char output[65537];
  const char *failure = NULL;
  size_t length = 0;
  int result = -1;
  FILE *pipe = OpenPipeStream(command, PG_BINARY_R);
  if (pipe != NULL) {
    /* Without a buffer that would keep the keys. */
    setvbuf(pipe, NULL, _IONBF, 0);
    length = fread(output, 1, sizeof output, pipe);
    result = ClosePipeStream(pipe);
  }
  if (result != 0) {
    failure = result == -1 ? strerror(errno) : wait_result_to_str(result);
  } else if (length == sizeof output) {
    failure = "it printed more than 64 KiB";
  } else if (ftruncate(printed, 0) != 0 || pwrite(printed, output, length, 0) != (ssize_t)length) {
    failure = strerror(errno);
  }
  explicit_bzero(output, sizeof output);
  if (failure != NULL) ereport(LOG, (errmsg("otp_record: the keyring's command failed: %s", failure)));
}

static void use_command(const char *command, void *unused) {
  char path[32] = "";
  if (InitializingParallelWorker) return;
  if (command[0] != '\0') {
    if (!IsUnderPostmaster) run_command(command);
    snprintf(path, sizeof path, "/proc/self/fd/%d", printed);
  } else if (!IsUnderPostmaster && ftruncate(printed, 0) != 0) {
    ereport(LOG, (errmsg("otp_record: the keyring's command: %m")));
  }
  open_keyring(path, &of_command);
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
  printed = memfd_create("otp_record", MFD_CLOEXEC);
  if (printed < 0 || fchmod(printed, 0600) != 0) refuse(ERRCODE_SYSTEM_ERROR, strerror(errno), NULL);
  DefineCustomStringVariable(
      "otp_record.keyring", "The file of the keys that seal records.", NULL, &keyring_path, "", PGC_SIGHUP,
      GUC_SUPERUSER_ONLY, NULL, use_file, NULL);
  DefineCustomStringVariable(
      "otp_record.keyring_command", "A command that prints such a file.", NULL, &keyring_command, "", PGC_SIGHUP,
      GUC_SUPERUSER_ONLY, NULL, use_command, NULL);
  DefineCustomBoolVariable(
      "otp_record.events", "Whether otp.event gets a row for what is done.", NULL, &has_events, true, PGC_SUSET, 0,
      NULL, NULL, NULL);
  MarkGUCPrefixReserved("otp_record");
}
