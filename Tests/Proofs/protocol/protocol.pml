/* Two hosts that sign a user in, over one store on PostgreSQL with a standby.
 *
 * What it abstracts: time is counted in steps; the user has one app (window W), one token (look-ahead 1) and one
 * recovery code of several; a document is compared by its contents instead of by a version that is drawn at random,
 * which is the same, since equal documents have equal futures. Reading and checking is one action, as is writing:
 * PostgreSQL executes each as one statement. (A host may change a document that it read earlier. That is the same as
 * reading it at the moment of the write, since the change is written only if the two are equal.) Here the other host
 * sees a commit before it is acknowledged; PostgreSQL would delay that.
 *
 * Sources: `MultiFactorPostgreSQL/Batch.swift` and `MultiFactorPostgreSQL/Server.swift` (read, write, connect),
 * `Documents/Context+Account.swift` (the fence before the rule), `Account/Account+Verification.swift` and
 * `FactorRecord/FactorRecord+Verify.swift` (the rule). Other macros are set by variants.py: bounds, and faults.
 */
#define offered(which) ((OFFERS & (which)) != 0)
#define W 1
#define SKEW 1 /* how many steps one host's clock can be ahead of the other's */
/* Where a process or its connection can end: everywhere; for traces, in every third attempt. */
#define MAY_BREAK (!RARELY_BROKEN || attempts % 3 == 0)
#define FENCED (FENCE_NARROW -> 0 : W)

mtype = { totp, hotp, recovery, wrong };
mtype = { accepted, rejected, waits };

typedef Document { byte last; byte fence; byte next; byte failures; bool isSpent };
typedef Server { Document user; byte timeline; byte noticed; byte lost };

#define PRIMARY 0
#define STANDBY 1
#define BACKUP 2
#define OTHER 3 /* the store that was copied, or a primary that was not stopped */
Server server[4];
Document none;

byte now = 2, promotions = 1, ticks, attempts, failovers;
bool isBackedUp, isRestored, isCopied;

/* Hosts: the clock's lead, and what a process has in memory. `loss` is a FactorStore's lossDate. */
byte skew[2], connected[2], known[2], loss[2];
bool isBusy[2], isPending[2];
byte at[2]; /* the server that it uses */

/* Ghosts: what clients were told, and when the latest loss was. */
short steps, counters;
bool isRecovered;
byte answered, lostAt;
bool isCounted[2];

#define clock(h) (now + skew[h])
#define max(a, b) ((a) > (b) -> (a) : (b))
#define isSame(a, b) (a.last == b.last && a.fence == b.fence && a.next == b.next && a.failures == b.failures \
  && a.isSpent == b.isSpent)
#define promised(which) ((PROMISES & (which)) != 0)
#define mine server[at[h]]

inline copy(to, from) {
  to.last = from.last; to.fence = from.fence; to.next = from.next; to.failures = from.failures;
  to.isSpent = from.isSpent
}

inline copyServer(to, from) {
  copy(server[to].user, server[from].user);
  server[to].timeline = server[from].timeline;
  server[to].noticed = server[from].noticed; server[to].lost = server[from].lost
}

inline printState() {
  printf("EVENT state %d %d %d %d %d\n", server[PRIMARY].user.last, server[PRIMARY].user.fence,
    server[PRIMARY].user.next, server[PRIMARY].user.failures, server[PRIMARY].user.isSpent)
}

inline forget(h) { connected[h] = 0; known[h] = 0; loss[h] = 0 }

/* Schema.findLoss and Server.connect: a new timeline is dated in the store by the host that finds it first, and by
 * every host that knew an older one. The server's clock is taken to be behind. (A host may go back to an old primary
 * here, which a process refuses.) */
inline connect(h) {
#ifndef FENCE_NOT_NOTICED
  if
  :: mine.noticed != mine.timeline ->
    mine.noticed = mine.timeline; mine.lost = max(mine.lost, clock(h) - FENCE_EARLY)
  :: else
  fi;
#endif
  loss[h] = max(loss[h], mine.lost);
  if
  :: known[h] != 0 && known[h] != mine.timeline -> loss[h] = max(loss[h], clock(h))
  :: else
  fi;
  known[h] = mine.timeline; connected[h] = mine.timeline;
  printf("EVENT loss %d %d\n", h, loss[h])
}

/* Context.change and Account.verify: the fence, and then the rule, of a value. */
inline check(h) {
  copy(read, mine.user);
  copy(new, read);
#ifndef FENCE_SKIPPED
  if
  :: loss[h] > 0 -> new.last = max(new.last, loss[h] + FENCED); new.fence = max(new.fence, loss[h])
  :: else
  fi;
#endif
  if
  :: (kind == totp || kind == wrong) && new.fence > 0 && new.last >= new.fence + FENCED && time <= new.last ->
    result = waits
  :: else ->
    result = rejected;
    if
    :: kind == totp && code + W >= time && code <= time + W && code + LAST_AGAIN > new.last ->
      result = accepted; new.last = code
    :: kind == hotp && code >= new.next && code <= new.next + 1 -> result = accepted; new.next = code + 1
    :: kind == recovery && !new.isSpent -> result = accepted; new.isSpent = !NOT_SPENT
    :: else
    fi;
    if
    :: result == accepted -> new.failures = 0
    :: result != accepted && !ROLLED_BACK -> new.failures++
    :: result != accepted && ROLLED_BACK -> copy(new, read)
    fi
  fi
}

/* A client is told. */
inline answer(h) {
  printf("EVENT answer %d %e\n", h, result);
  if
  :: result == accepted && kind == totp ->
    assert(!promised(1) || !(steps & (1 << code))); /* an app's code is accepted at most once */
    steps = steps | (1 << code)
  :: result == accepted && kind == hotp ->
    assert(!promised(2) || !(counters & (1 << code))); /* a token's code is accepted at most once */
    counters = counters | (1 << code)
  :: result == accepted && kind == recovery ->
    assert(!promised(4) || !isRecovered); /* a recovery code is accepted at most once */
    isRecovered = true
  :: result == rejected && isCounted[h] -> answered++
  :: else
  fi;
  assert(!promised(8) || answered <= mine.user.failures) /* every answered failure is counted */
}

/* The next attempt begins; what is left of this one would only make equal states differ. */
inline end(h) {
  isBusy[h] = false; isPending[h] = false; isCounted[h] = false;
  result = 0; code = 0; kind = 0; time = 0; copy(read, none); copy(new, none)
}

/* The process ends; or only its connection, in which case it keeps its memory. No client gets an answer. */
inline breakOff(h) {
  printf("EVENT lost %d\n", h);
  if
  :: forget(h)
  :: connected[h] = 0
  fi;
  end(h)
}

/* Schema.updateOne: only the version that was read, and only on the timeline of the read. */
#define canWrite(h) ((NO_TIMELINE || connected[h] == mine.timeline) && (NO_COMPARE || isSame(read, mine.user)))
#define isAcknowledged(h) (!SYNCHRONOUS || !isPending[h])

proctype host(bit h) {
  Document read, new;
  mtype kind, result;
  byte code, time; /* a sign-in takes the time once, before its change, however often that runs */
idle:
  atomic {
    attempts < ATTEMPTS ->
    attempts++; isBusy[h] = true; time = clock(h);
    if
    :: offered(1) -> kind = totp;
      if
      :: code = time - 1
      :: code = time
      :: code = time + 1
      fi
    :: offered(2) -> kind = hotp;
      if
      :: code = 0
      :: code = 1
      fi
    :: offered(4) -> kind = recovery
    :: offered(8) -> kind = wrong
    fi;
    printf("EVENT offer %d %e %d\n", h, kind, code);
again:
#ifdef SPLIT_BRAIN
    if
    :: failovers > 0 && connected[h] == 0 -> at[h] = OTHER
    :: connected[h] == 0 -> at[h] = PRIMARY
    :: connected[h] != 0
    fi;
#endif
    if
    :: connected[h] != mine.timeline -> connect(h)
    :: else
    fi;
    check(h);
    isCounted[h] = (result == rejected); /* until a success clears it */
    printf("EVENT read %d %d\n", h, time)
  }
#ifdef ANSWER_BEFORE_COMMIT
  answer(h);
#endif
  if
  :: isSame(new, read) -> atomic { answer(h); end(h); goto idle } /* nothing is written */
  :: else
  fi;
  if
  :: atomic { MAY_BREAK -> breakOff(h); goto idle } /* before the commit */
  :: atomic {
      canWrite(h) -> copy(mine.user, new); isPending[h] = true;
      printf("EVENT write %d\n", h); printState();
      /* The fence is not missed: no step that was in a window at the time of the loss is accepted. */
      assert(!promised(16) || result != accepted || kind != totp || lostAt == 0 || code > lostAt + W);
      if
      :: result == accepted -> answered = 0; isCounted[0] = false; isCounted[1] = false
      :: else
      fi
    }
  :: atomic { !canWrite(h) -> printf("EVENT conflict %d\n", h); goto again }
  fi;
  if
  :: atomic { MAY_BREAK -> breakOff(h); goto idle } /* after the commit, before its acknowledgment */
  :: atomic {
      isAcknowledged(h) ->
#ifndef ANSWER_BEFORE_COMMIT
      answer(h);
#endif
      end(h); goto idle
    }
  fi
}

/* A commit on the primary that is; those on an earlier one are never acknowledged. */
#define isWaiting(h) (isPending[h] && at[h] == PRIMARY && connected[h] == server[PRIMARY].timeline)
#define isIdle (!isBusy[0] && !isBusy[1])

proctype world() {
  do
  :: atomic { ticks < TICKS -> ticks++; now++; printf("EVENT tick\n") }
  :: atomic { /* the standby receives everything so far, and the primary is told */
      !isSame(server[PRIMARY].user, server[STANDBY].user) || isWaiting(0) || isWaiting(1) ||
        server[PRIMARY].lost != server[STANDBY].lost || server[PRIMARY].noticed != server[STANDBY].noticed ->
      copyServer(STANDBY, PRIMARY);
      if :: isWaiting(0) -> isPending[0] = false :: else fi;
      if :: isWaiting(1) -> isPending[1] = false :: else fi;
      printf("EVENT replicate\n")
    }
  :: atomic { /* the primary ends, and the standby is promoted; a new standby is made from it */
      failovers < FAILOVERS ->
      failovers++; promotions++; now = now + TAKES; lostAt = now;
#ifdef SPLIT_BRAIN /* the old one goes on, and may keep its connections */
      copyServer(OTHER, PRIMARY);
      if :: at[0] = OTHER :: skip fi;
      if :: at[1] = OTHER :: skip fi;
#endif
      copyServer(PRIMARY, STANDBY);
      server[PRIMARY].timeline = promotions;
      copyServer(STANDBY, PRIMARY);
      printf("EVENT failover\n"); printState()
    }
#ifdef RESTORE
  :: atomic { !isBackedUp -> isBackedUp = true; copyServer(BACKUP, PRIMARY); printf("EVENT backup\n") }
  :: atomic { /* all machines are stopped */
      isBackedUp && !isRestored && isIdle ->
      isRestored = true; now = now + TAKES; lostAt = now;
      copyServer(PRIMARY, BACKUP);
      if :: RESTORE == 1 -> server[PRIMARY].lost = now :: RESTORE == 2 -> promotions++ :: else fi;
      server[PRIMARY].timeline = promotions;
      copyServer(STANDBY, PRIMARY);
      forget(0); forget(1);
      printf("EVENT restore\n"); printState()
    }
#endif
#ifdef COPY
  :: atomic { /* COPY 1: all machines are stopped, and no loss is recent. 2: too early. 3: one goes on with the old. */
      !isCopied && isIdle && (COPY != 1 || server[PRIMARY].lost == 0 || now > server[PRIMARY].lost + SKEW + 2 * W) &&
        (COPY != 1 || server[PRIMARY].noticed == promotions) ->
      isCopied = true;
      copyServer(OTHER, PRIMARY);
      server[PRIMARY].lost = 0; server[PRIMARY].noticed = promotions;
      copyServer(STANDBY, PRIMARY);
      forget(0); forget(1);
      if :: COPY == 3 -> at[1] = OTHER :: else fi;
      printf("EVENT copy\n"); printState()
    }
#endif
  od
}

init {
  atomic {
    server[PRIMARY].timeline = 1; server[PRIMARY].noticed = 1; copyServer(STANDBY, PRIMARY);
    if :: skew[1] = SKEW :: skip fi; /* the hosts are alike, so it is enough if one can be ahead */
    printf("EVENT clocks %d %d\n", skew[0], skew[1]);
    run host(0); run host(1); run world()
  }
}
