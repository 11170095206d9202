// What tsc takes, and what it must refuse.
import { OTPError, open, postgresql, type Answer, type Factors } from "swift-otp";
import { secondFactor } from "swift-otp/express";

const read = async (subject: string, factor: string) => new Uint8Array(subject.length + factor.length);
const service = open({ keyring: "keyring", program: "otp", policy: { lockSeconds: 0 } });
const factors: Factors[] = [
  service.underTheRule(read, async (subject, factor, old, record) => old?.length === record.length),
  open({ socket: "socket" }).underTheRule(async () => null, async () => false),
  postgresql({ query: async (text: string, values: unknown[]) => ({ rows: [text, ...values] }) }),
];
export async function signIn(typed: string): Promise<number> {
  try {
    const answer: Answer = await factors[0].verify("user 42", typed, "recovery");
    return answer.answer === "accepted" ? 200 : answer.retryAfter ?? 0;
  } catch (error) {
    return error instanceof OTPError && error.code === "enrolled" ? 409 : 500;
  }
}
const fields: Record<string, unknown> = await service.ask({ op: "info", subject: "user 42", record: "" });
const codes: string[] = await factors[0].recoveryCodes("user 42", 8);
service.close();
const page = { factors: factors[0], issuer: "Example", user: () => ({ subject: "user 42", account: "alice" }) };
secondFactor({ ...page, signIn: async () => {}, qr: (uri) => `<img alt="" src="data:${uri.length}">` });

// @ts-expect-error no keyring and no socket
open({ program: "otp" });
// @ts-expect-error a record is bytes
service.underTheRule(async () => "AQHw", async () => true);
// @ts-expect-error whether it was replaced
service.underTheRule(read, async () => undefined);
// @ts-expect-error no issuer
factors[0].enroll("user 42", { account: "alice" });
// @ts-expect-error no session
secondFactor(page);
// @ts-expect-error no such answer
(await factors[0].verify("user 42", "123456")).answer === "right";
export { codes, fields };
