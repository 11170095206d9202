// Makes chosen allocations of libcrypto fail, and counts them.

#ifndef FAILING_H
#define FAILING_H

#include <openssl/crypto.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "check.h"

/// The plan for a thread's allocations.
struct plan {
  /// Which allocation fails, counted from 1, and whether those after it fail too; 0 for none.
  size_t first;
  int lasting;
  /// Called once: at the first failure or, if none is planned, at the first allocation.
  void (*meanwhile)(void);
  size_t made, failed;
};

static _Thread_local struct plan plan;
static atomic_size_t blocks_held;

static inline int fails_now(void) {
  plan.made++;
  const int fails = plan.first != 0 && (plan.lasting ? plan.made >= plan.first : plan.made == plan.first);
  plan.failed += fails != 0;
  void (*const meanwhile)(void) = plan.meanwhile;
  if (meanwhile != NULL && (fails || plan.first == 0)) {
    plan.meanwhile = NULL;
    meanwhile();
  }
  return fails;
}

static inline void *failing_malloc(size_t size, const char *file, int line) {
  (void)file, (void)line;
  if (fails_now()) return NULL;
  blocks_held++;
  return malloc(size);
}

static inline void *failing_realloc(void *block, size_t size, const char *file, int line) {
  (void)file, (void)line;
  if (fails_now()) return NULL;
  blocks_held += block == NULL;
  return realloc(block, size);
}

static inline void counted_free(void *block, const char *file, int line) {
  (void)file, (void)line;
  blocks_held -= block != NULL;
  free(block);
}

/// Call this before anything else: libcrypto accepts no other functions once it has allocated.
static inline void take_over_allocations(void) {
  expect(CRYPTO_set_mem_functions(failing_malloc, failing_realloc, counted_free) == 1);
}

static inline pthread_t begin_on_another_thread(void *(*work)(void *)) {
  pthread_t thread;
  if (pthread_create(&thread, NULL, work, NULL) != 0) abort();
  return thread;
}

/// When this returns, the thread has ended, and libcrypto has released its data.
static inline void wait_for(pthread_t thread) {
  if (pthread_join(thread, NULL) != 0) abort();
}

#endif
