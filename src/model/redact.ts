// Redact: takes passwords and keys out of URLs before they are shown; the one place that knows what they look like.

export const REDACTED = '(redacted)';

/** A scheme with its slashes; one slash where a path was made of it. */
const SCHEME = /[a-z][a-z0-9+.-]{0,31}:\/\/|https?:\//gi;
/** What may be between the scheme and the "@" that ends the user's name and password. */
const REST = /[^\s"'<>`]{0,2048}/y;
const PORT = /:\d{1,5}$/;
const KEY = /([?&;][^=&;#\s"']{0,64}(?:token|secret|passw|key|auth|sig|cred)[^=&;#\s"']{0,64}=)[^&;#\s"'<>`]{1,2048}/gi;

/**
 * The text with `(redacted)` in place of the user information of every URL, and of the values of query parameters that are
 * named like a secret. A name alone is taken out as well: tokens are written there.
 */
export function redactUrls(text: string): string {
  if (!text.includes(':/')) return text;
  const bare = text.includes('@') ? withoutUsers(text) : text;
  return bare.includes('=') ? bare.replace(KEY, `$1${REDACTED}`) : bare;
}

/** `redactUrls` for one value that should be an address: what is before an "@" goes, with or without a scheme. */
export function redactAddress(value: string): string {
  const redacted = redactUrls(value);
  return redacted.replace(/^(["'\s]*)[^\s/]*:[^\s]*@/, `$1${REDACTED}@`);
}

function withoutUsers(text: string): string {
  let out = '';
  let from = 0;
  SCHEME.lastIndex = 0;
  for (let found = SCHEME.exec(text); found !== null; found = SCHEME.exec(text)) {
    const start = SCHEME.lastIndex;
    REST.lastIndex = start;
    const length = userLength(REST.exec(text)?.[0] ?? '');
    if (length === 0) continue;
    out += text.slice(from, start) + REDACTED;
    from = start + length;
    SCHEME.lastIndex = from;
  }
  return out + text.slice(from);
}

/** How much of what follows a scheme is user information; 0 where there is none. */
function userLength(rest: string): number {
  const path = rest.search(/[/?#]/);
  const authority = path < 0 ? rest : rest.slice(0, path);
  const at = authority.lastIndexOf('@');
  if (at >= 0) return at;
  // A password with a "/" in it that was not encoded: "user:se/cret@host" is not a host with a port.
  const last = rest.lastIndexOf('@');
  return last >= 0 && authority.includes(':') && !PORT.test(authority) && !authority.endsWith(']') ? last : 0;
}
