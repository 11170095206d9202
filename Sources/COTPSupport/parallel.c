#include "otp_parallel.h"

#include <pthread.h>

#include "otp_scratch.h"

typedef struct job {
  pthread_t thread;
  int (*body)(void *context, size_t part);
  void *context;
  size_t part;
  int is_started, result;
} job;

static void *run(void *argument) {
  job *work = argument;
  work->result = work->body(work->context, work->part);
  return NULL;
}

int otp_in_parallel(size_t parts, int (*body)(void *context, size_t part), void *context) {
  if (parts > OTP_MAX_PARTS) parts = OTP_MAX_PARTS;
  // One more than is used: no array is empty.
  const size_t size = otp_probe_stack((parts + 1) * sizeof(job));
  job jobs[size / sizeof(job)];
  for (size_t part = 1; part < parts; part++) {
    jobs[part] = (job){.body = body, .context = context, .part = part};
    jobs[part].is_started = pthread_create(&jobs[part].thread, NULL, run, &jobs[part]) == 0;
  }
  int result = parts == 0 || body(context, 0) == 1;
  for (size_t part = 1; part < parts; part++) {
    if (jobs[part].is_started) {
      pthread_join(jobs[part].thread, NULL);
    } else {
      jobs[part].result = body(context, part);
    }
    result &= jobs[part].result == 1;
  }
  return result;
}
