// Secrets: what a password, key or token looks like in text that others wrote; taken out before the text leaves the host.

import { REDACTED, redactUrls } from '../../model/redact.ts';

/** The last word of a name whose value is a secret: DB_PASSWORD, api-key, snmpCommunity; "tokens" and "token_count" are numbers. */
const SECRET_WORD =
  'pass(?:word|wd|phrase)?|pwd|secret|token|credentials?|(?:api|access|private|secret|auth|priv|signing|encryption|ssh|routing|license)[_-]?key|apikey|authkey|community|bearer|cookie|authorization';
const SECRET_NAME = new RegExp(`(?:^|[_.-]|[a-z](?=[A-Z]))(?:${SECRET_WORD})$`, 'i');

/** Whether what is kept under this name is a secret, whatever it looks like. */
export function isSecretName(name: string): boolean {
  return name.length <= 200 && SECRET_NAME.test(name);
}

const NAME = `(?<![A-Za-z0-9])(?:[A-Za-z0-9]{1,64}[_.-]){0,8}[A-Za-z0-9]{0,64}?(?:${SECRET_WORD})`;
const QUOTED = `"(?:[^"\\\\\\n]|\\\\.){1,4096}"|'[^'\\n]{1,4096}'`;
const VALUE = `(?:${QUOTED}|[^\\s"',;&]{1,4096})`;

interface Shape {
  readonly pattern: RegExp;
  readonly put: string | ((found: string, before: string, value: string) => string);
}

/** Quotes stay, so that a line of JSON stays one. */
const quoted = (_found: string, before: string, value: string): string => {
  const [mark = ''] = /^["']/.exec(value) ?? [];
  return `${before}${mark}${REDACTED}${mark}`;
};

/** Each is linear: every repeat is bounded, and none is in another that begins alike. */
const SHAPES: readonly Shape[] = [
  {
    pattern:
      /-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----[\s\S]{0,32768}?(?:-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----|$)/g,
    put: `-----BEGIN PRIVATE KEY----- ${REDACTED}`,
  },
  {
    pattern: /\b((?:Bearer|Basic|Digest|Negotiate|Token|Bot)\s{1,8})[A-Za-z0-9+/_.~=-]{8,4096}/g,
    put: `$1${REDACTED}`,
  },
  // NAME=value, name: value, "name": "value"
  { pattern: new RegExp(`(${NAME}["']?\\s{0,8}[=:]\\s{0,8})(${VALUE})`, 'gi'), put: quoted },
  // --name value, as in an argument list
  { pattern: new RegExp(`(--?${NAME}[ \\t]{1,8})(?!-)(${VALUE})`, 'gi'), put: quoted },
  { pattern: /((?:^|\s)(?:-u|--user|--proxy-user)[ =]{1,4}[^\s:"']{1,128}:)[^\s"']{1,512}/g, put: `$1${REDACTED}` },
  {
    pattern: /(\b(?:sshpass|mysql|mysqldump|smbclient|ipmitool)\b[^\n]{0,200}?\s-[pP]\s?)[^\s-][^\s]{0,256}/g,
    put: `$1${REDACTED}`,
  },
  // user:password@host without a scheme
  { pattern: /(?<![A-Za-z0-9/:.-])[A-Za-z0-9_.+-]{1,64}:[^\s:@/"']{1,128}@(?=[A-Za-z0-9])/g, put: `${REDACTED}@` },
  // Tokens that are known by their shape.
  {
    pattern:
      /\b(?:gh[opsur]_[A-Za-z0-9]{20,255}|github_pat_\w{20,255}|glpat-[\w-]{16,64}|hf_[A-Za-z0-9]{16,64}|xox[abeoprs]-[\w-]{10,255}|xapp-[\w-]{10,255}|nvapi-[\w-]{20,128}|sk-[\w-]{16,255}|npm_[A-Za-z0-9]{30,64}|(?:AKIA|ASIA)[A-Z0-9]{16}|AIza[\w-]{30,64}|ya29\.[\w-]{16,512}|SG\.[\w.-]{20,128}|dop_v1_[a-f0-9]{40,64}|whsec_[A-Za-z0-9+/=]{16,128}|eyJ[\w-]{8,4096}\.[\w-]{4,8192}\.[\w-]{0,4096})/g,
    put: REDACTED,
  },
  { pattern: /(\bwandb\b[^\n]{0,80}?\b)[0-9a-f]{40}\b/gi, put: `$1${REDACTED}` },
  // Paths of webhooks are secrets as a whole.
  { pattern: /(https:\/\/hooks\.slack\.com\/)[\w/-]{8,256}/g, put: `$1${REDACTED}` },
  { pattern: /(https:\/\/api\.telegram\.org\/)bot[\w:-]{8,256}/g, put: `$1${REDACTED}` },
  { pattern: /(https:\/\/[\w.-]{1,128}\.webhook\.office\.com\/)[^\s"']{8,1024}/g, put: `$1${REDACTED}` },
];

/** The text with `(redacted)` in place of what looks like a secret. */
export function withoutSecrets(text: string): string {
  return SHAPES.reduce(
    (left, { pattern, put }) => (typeof put === 'string' ? left.replace(pattern, put) : left.replace(pattern, put)),
    redactUrls(text),
  );
}
