// A page of an Express application for second factors, after its own password: see README.md.
const escaped = (text) => String(text).replace(/[&<>"']/g, (letter) => `&#${letter.charCodeAt()};`);
const button = (action, text) => `<button name="action" value="${action}">${text}</button> `;
const field = '<p><label>Code <input name="code" autofocus autocomplete="one-time-code"></label> ';
const start = `<p>To begin: ${button("enroll", "Set up an app")}`;
const confirmation = field + button("confirm", "Confirm");
const more = `<p>With a code that signs you in: ${button("replace", "Move to a new phone")}`
  + button("codes", "Get new recovery codes");
const entry = `<p>Type the next code of your app, or a recovery code.${field}${button("verify", "Sign in")}${more}`;
const listed = (codes) => "<p>These recovery codes are shown only now, and replace all before. Each signs you in once."
  + `<ul>${codes.map((code) => `<li><code>${escaped(code)}</code>`).join("")}</ul>`;
const headers = {
  "Cache-Control": "no-store",
  "Content-Security-Policy": "default-src 'none'; img-src data:; form-action 'self'; frame-ancestors 'none'",
};

// Browsers send Sec-Fetch-Site by HTTPS and to localhost, and otherwise Origin. No page can choose either.
const isForged = ({ headers: { "sec-fetch-site": site, origin, host }, protocol }) =>
  site ? site !== "same-origin" : origin !== `${protocol}://${host}`;

async function fieldsOf(request) {
  if (request.readableEnded) return request.body ?? {}; // The application has a parser.
  let text = "";
  for await (const part of request.setEncoding("latin1")) text += part;
  return Object.fromEntries(new URLSearchParams(text));
}

export function secondFactor({ factors, issuer, user, signIn, qr, home = "/" }) {
  async function serve(request, response) {
    const page = (status, ...parts) => response.status(status).set(headers).send('<!DOCTYPE html><html lang="en">'
      + `<meta name="viewport" content="width=device-width"><title>${escaped(issuer)}</title><form method="post">`
      + `${parts.join("")}</form><p><a href="${escaped(home)}">Continue</a>`);
    const posts = request.method === "POST";
    if (posts && (isForged(request) || !(request.headers["content-length"] <= 4096))) return page(403, "<p>Refused.");
    // Read before the factors' state, since the form may come much later.
    const { action, code } = posts ? await fieldsOf(request) : {};
    const typed = typeof code === "string" ? code : "", confirms = action === "confirm";
    const verified = await user(request), { subject, account } = verified ?? {};
    if (subject === undefined) return page(401, "<p>Sign in with your password first.");
    const enroll = async (replace, ...parts) => {
      const uri = await factors.enroll(subject, { issuer, account, replace });
      const key = escaped(new URL(uri).searchParams.get("secret").replace(/.{4}(?=.)/g, "$& "));
      const scanned = `<p>Add ${escaped(account)} to your app.<p>${await qr?.(uri) ?? ""}`;
      return page(200, scanned, `<p>Key: <code>${key}</code>`, confirmation, ...parts);
    };
    // Those who have recovery codes had a factor: their password is not enough for another.
    const isNew = await factors.state(subject) !== "active" && await factors.state(subject, "recovery") === "none";
    if (!posts) return page(200, isNew ? start : entry);
    if (action === "enroll") return isNew ? enroll(false) : page(409, entry);
    const { answer, retryAfter } = confirms ? await factors.confirm(subject, typed)
      : await factors.verify(subject, typed, /\p{L}/u.test(typed) ? "recovery" : "app");
    if (answer === "enrolled") {
      return page(200, isNew ? listed(await factors.recoveryCodes(subject)) + entry : "<p>Your app is set up.");
    }
    if (answer === "accepted") {
      await signIn(request, response, verified);
      if (action !== "replace" && action !== "codes") return response.set(headers).redirect(303, home);
      // Recovery codes stay, for a user who never sees the new app. There are some before it is pending: see isNew.
      const renews = action === "codes" || !await factors.unusedCodes(subject);
      const codes = renews ? listed(await factors.recoveryCodes(subject)) : "";
      return action === "replace" ? enroll(true, codes) : page(200, codes);
    }
    const again = confirms ? confirmation + (isNew ? start : more) : entry;
    if (answer !== "wait" && answer !== "locked") return page(401, "<p>This code is not accepted.", again);
    if (!retryAfter) return page(429, "<p>Too many wrong codes. Ask for help.", again);
    response.set("Retry-After", `${retryAfter}`);
    return page(429, `<p>Too many wrong codes. Wait for ${retryAfter} seconds.`, again);
  }
  return (request, response, next) => (request.path === "/" ? serve(request, response).catch(next) : next());
}
