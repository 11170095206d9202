/* The bounds of a search, unless variants.py sets them; and the planted faults in what a host computes. */
#ifndef ATTEMPTS
#define ATTEMPTS 3 /* by both hosts together; a client may offer any code each time */
#endif
#ifndef TICKS
#define TICKS 2 /* how often time moves by a step by itself */
#endif
#ifndef FAILOVERS
#define FAILOVERS 1
#endif
#ifndef SKEW
#define SKEW 1 /* how many steps one host's clock can be ahead of the other's */
#endif
#ifndef TAKES
#define TAKES 1 /* the least time that a failover takes, in steps */
#endif
#ifndef PROMISES
#define PROMISES 31 /* which assertions count: 1 TOTP, 2 HOTP, 4 recovery codes, 8 failures, 16 the fence */
#endif
#ifndef OFFERS
#define OFFERS 15 /* what clients offer: 1 TOTP codes, 2 HOTP codes, 4 recovery codes, 8 wrong codes */
#endif
/* Where a process or its connection can end: everywhere; for traces, in every third attempt. */
#ifdef RARELY_BROKEN
#define MAY_BREAK (attempts % 3 == 0)
#else
#define MAY_BREAK true
#endif
#ifdef FENCE_NARROW
#define FENCED 0
#else
#define FENCED W
#endif
#ifdef LAST_AGAIN
#define isLater(code, last) (code >= last)
#else
#define isLater(code, last) (code > last)
#endif
#ifdef NOT_SPENT
#define SPENDS skip
#else
#define SPENDS new.isSpent = true
#endif
#ifdef ROLLED_BACK
#define COUNTS copy(new, read)
#else
#define COUNTS new.failures++
#endif
#ifdef FENCE_EARLY
#define DATED(h) (clock(h) - 1)
#else
#define DATED(h) clock(h)
#endif
#ifdef NO_COMPARE
#define IS_SAME true
#else
#define IS_SAME isSame(read, mine.user)
#endif
#ifdef NO_TIMELINE
#define IS_TIMELINE(h) true
#else
#define IS_TIMELINE(h) (connected[h] == mine.timeline)
#endif
