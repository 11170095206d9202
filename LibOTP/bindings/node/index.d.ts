/** A failure, which is never an answer: let no one in. */
export class OTPError extends Error {
  /** `enrolled`, `ended`, `closed`, `busy`, `notAuthentic`, `anotherSubject`, `invalidValue`, and so on. */
  readonly code: string;
  readonly field?: string;
}

export interface Answer {
  /** Let the user in if it is `accepted`, and in no other case. `none`: the subject has no such factor. */
  answer: "accepted" | "enrolled" | "rejected" | "wait" | "locked" | "none";
  /** For your log, never for the client. */
  reason?: string;
  /** Of `wait` and `locked`, in seconds; absent, if only `unlock` or a new enrollment helps. */
  retryAfter?: number;
  retryAt?: Date;
}

export interface Explanation {
  cause: "right" | "replayed" | "late" | "early" | "parameters" | "wrong" | "malformed" | "none";
  diagnosis?: string;
  /** By how many steps or counters the app is ahead. */
  offset?: number;
  odds?: number;
  retryAt?: Date;
  needsEnrollment: boolean;
}

export interface Factors {
  /** The URI of a pending factor, secret included: for the QR code, and no log. With a confirmed one, the error
   *  `enrolled`, unless `replace` is true: require one of its codes first. */
  enroll(
    subject: string, options: { issuer: string; account: string; replace?: boolean }, factor?: string): Promise<string>;
  /** `enrolled`, if the code is the pending factor's, which is then spent. */
  confirm(subject: string, code: string, factor?: string): Promise<Answer>;
  /** After the right password. The factor is `app`, by default, or `recovery`. */
  verify(subject: string, code: string, factor?: string): Promise<Answer>;
  /** New codes, to be shown once, instead of those before. */
  recoveryCodes(subject: string, count?: number): Promise<string[]>;
  /** Of an enrollment. A lock does not end it. */
  state(subject: string, factor?: string): Promise<"none" | "pending" | "active">;
  /** How many recovery codes are left. */
  unusedCodes(subject: string): Promise<number>;
  /** Ends a lock, unless `explain` says `needsEnrollment`. False, if there is no such factor. */
  unlock(subject: string, factor?: string): Promise<boolean>;
  /** Why a code is not accepted: for those who help users. Nothing is counted or spent. */
  explain(subject: string, code: string, factor?: string): Promise<Explanation>;
}

/** The record in the factor's column; empty, or null if there is no row. Not from a cache or a replica. */
export type Read = (subject: string, factor: string) => Promise<Uint8Array | null | undefined>;
/** Whether the record has replaced the old one, which was still there, and is committed. After sixteen refusals of what
 *  is read, as in a column that is NULL, there is the error `invalidValue`. */
export type Replace = (
  subject: string, factor: string, old: Uint8Array | null | undefined, record: Uint8Array) => Promise<boolean>;

export interface Service {
  /** Any request of Tool/record-service/schema.json, without `id`. */
  ask(request: { op: string; subject: string; [field: string]: unknown }): Promise<Record<string, unknown>>;
  underTheRule(read: Read, replace: Replace): Factors;
  /** Requests that were passed to `ask` before are still answered. Otherwise, a program with a child does not end. */
  close(): void;
}

/** A child of this process, or a service's socket, each opened at the first request, and again after it has ended. */
export function open(
  options: ({ keyring: string; program?: string } | { socket: string }) & { policy?: Record<string, number> }): Service;

/** By the extension `otp_record`. Its errors are the driver's, but for `enrolled`. */
export function postgresql(client: { query(text: string, values: unknown[]): Promise<{ rows: any[] }> }): Factors;
