import type { Factors } from "./index.js";

/** A handler for `app.use(path, …)` of Express (tried: 4): one page to enroll, sign in, and move to a new phone. */
export function secondFactor<Request = any, Response = any>(options: {
  factors: Factors;
  issuer: string;
  /** Whose password was right in this session. */
  user(request: Request): Account | undefined | Promise<Account | undefined>;
  /** Their second factor was right as well: notes in the session, which has a new id from now on, that they are in. */
  signIn(request: Request, response: Response, verified: Account): unknown;
  /** The picture of a URI, as SVG or `<img>`. It has the secret: draw it here. Otherwise, users type the key. */
  qr?(uri: string): string | Promise<string>;
  /** Where users go on: a path, by default `/`. */
  home?: string;
}): (request: Request, response: Response, next: (error?: unknown) => void) => void;

export interface Account { subject: string; account: string }
