// Access: what whoever asks over TLS may do, by the token or the certificate that it shows. No token is in any message.

import type { IncomingMessage } from 'node:http';
import { TLSSocket } from 'node:tls';
import type { ApiTcp } from '../config/api.ts';
import { isToken } from '../config/token-digest.ts';
import { ApiError } from './api-error.ts';
import type { Right } from './route.ts';

type Given = Pick<ApiTcp, 'readDigest' | 'writeDigest' | 'writers'>;

export interface Asker {
  /** For the log: "read token", "certificate of ops.example.com". */
  readonly who: string;
  readonly right: Right;
}

/** A header each: Chromium reads one line as one challenge, and shows no prompt where that is none that it knows. */
const CHALLENGE = { 'www-authenticate': ['Bearer realm="faultline"', 'Basic realm="faultline", charset="UTF-8"'] };
const LONGEST_NAME = 253;

/** Throws FL4116 where nothing is shown that counts, FL4117 where it does not count for this. */
export function askerOf(request: IncomingMessage, right: Right, given: Given): Asker {
  const asker = tokenAsker(request.headers.authorization, given) ?? certificateAsker(request, given);
  if (asker === null)
    throw new ApiError(
      401,
      'FL4116',
      'show who asks: the header "Authorization: Bearer TOKEN", or a certificate that api.client_ca_file signs',
      CHALLENGE,
    );
  if (right === 'write' && asker.right !== 'write')
    throw new ApiError(
      403,
      'FL4117',
      `this changes something, and the ${asker.who} may only read. Use the write token, or have the name added to api.writers`,
    );
  return asker;
}

/** Null where there is no token; a wrong one counts as none, whatever certificate is shown with it. */
function tokenAsker(header: string | undefined, { readDigest, writeDigest }: Given): Asker | null {
  if (header === undefined) return null;
  const [scheme = '', text = ''] = header.split(/ +/, 2);
  const basic = /^basic$/i.test(scheme);
  const token = basic ? passwordOf(text) : /^bearer$/i.test(scheme) ? text : '';
  if (isToken(token, writeDigest)) {
    // A browser sends it along with whatever another page makes it ask: it never changes anything.
    return basic ? { who: 'write token as a password', right: 'read' } : { who: 'write token', right: 'write' };
  }
  return isToken(token, readDigest) ? { who: 'read token', right: 'read' } : null;
}

/** The user's name does not matter. */
function passwordOf(encoded: string): string {
  const text = Buffer.from(encoded, 'base64').toString();
  return text.slice(text.indexOf(':') + 1);
}

function certificateAsker({ socket, headers }: IncomingMessage, { writers }: Given): Asker | null {
  if (headers.authorization !== undefined || !(socket instanceof TLSSocket) || !socket.authorized) return null;
  const { subject, subjectaltname } = socket.getPeerCertificate();
  const names = [...[subject?.CN ?? []].flat(), ...dnsNames(subjectaltname)].map((name) => name.slice(0, LONGEST_NAME));
  const writer = names.find((name) => writers.includes(name));
  const who = `certificate of ${writer ?? names[0] ?? 'an unnamed client'}`;
  return { who, right: writer === undefined ? 'read' : 'write' };
}

/** `DNS:a, DNS:b`; an entry in quotes has something in it that a DNS name has not, and counts for none. */
function dnsNames(text: string | undefined): string[] {
  return (text ?? '').split(', ').flatMap((entry) => (/^DNS:[A-Za-z0-9._*-]+$/.test(entry) ? [entry.slice(4)] : []));
}
