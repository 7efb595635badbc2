// Receiver: the keys that say how to reach whoever takes messages, and what they come to; the same for every sink that has some.

import type { Findings } from '../../config/findings.ts';
import { durationMs } from '../../config/quantity.ts';
import { duration, optionalPath } from '../../config/schema-parts.ts';
import { readSecret } from '../../config/secret.ts';
import { redactAddress } from '../../model/redact.ts';

/** How a connection is made. */
export interface Reach {
  readonly timeoutMs: number;
  readonly proxy: string | null;
  readonly caFile: string | null;
  readonly certificateFile: string | null;
  readonly keyFile: string | null;
}

export const REACH = {
  proxy: {
    type: 'string',
    description: 'HTTP proxy that requests go through: http://host:port, with a user from a variable.',
    minLength: 1,
    maxLength: 1024,
    examples: ['http://proxy:3128'],
  },
  ca_file: optionalPath('Certificates to trust instead of those of the system.', '/etc/faultline/ca.pem'),
  certificate_file: optionalPath('Certificate to show.', '/etc/faultline/client.pem'),
  key_file: optionalPath('Key of that certificate.', '/etc/faultline/client.key'),
  timeout: duration('Time for one request.', '10s', '100ms', '5m'),
} as const;

export interface RawReach {
  readonly proxy: string | undefined;
  readonly ca_file: string | undefined;
  readonly certificate_file: string | undefined;
  readonly key_file: string | undefined;
  readonly timeout: string;
}

interface Place {
  readonly pointer: string;
  readonly findings: Findings;
  readonly absolute: (path: string) => string;
}

export function reachOf(raw: RawReach, { pointer, findings, absolute }: Place): Reach {
  const file = (path: string | undefined): string | null => (path === undefined ? null : absolute(path));
  if ((raw.certificate_file === undefined) !== (raw.key_file === undefined))
    findings.problem('FL1110', pointer, 'needs certificate_file and key_file together. Add the one that is missing');
  if (raw.proxy !== undefined && httpUrl(raw.proxy, ['http:']) === null)
    findings.problem('FL1106', `${pointer}/proxy`, 'must be a URL. Write: proxy: http://proxy:3128');
  else if (raw.proxy !== undefined) refuseSecret(raw.proxy, `${pointer}/proxy`, findings, `\${PROXY}`);
  return {
    timeoutMs: durationMs(raw.timeout),
    proxy: raw.proxy ?? null,
    caFile: file(raw.ca_file),
    certificateFile: file(raw.certificate_file),
    keyFile: file(raw.key_file),
  };
}

/** A user and password in an address that did not come out of a variable would be in backups and `config print`. */
export function refuseSecret(address: string, pointer: string, findings: Findings, instead: string): void {
  const [bare = ''] = address.split('?');
  if (redactAddress(bare) !== bare && !findings.expanded(pointer))
    findings.problem('FL1109', pointer, `holds a secret. Write: ${instead}`);
}

/** The secret in the file of a key; null where there is none or it cannot be read, which is reported. */
export function secretIn(path: string | undefined, key: string, place: Place): string | null {
  if (path === undefined) return null;
  const pointer = `${place.pointer}/${key}`;
  const read = readSecret(place.absolute(path));
  if ('error' in read) {
    place.findings.problem('FL1109', pointer, read.error);
    return null;
  }
  if (read.warning !== null) place.findings.warning('FL1111', pointer, read.warning);
  return read.value;
}

/** Null where the text is not an address of one of these protocols. */
export function httpUrl(text: string, protocols: readonly string[] = ['http:', 'https:']): URL | null {
  if (!URL.canParse(text)) return null;
  const url = new URL(text);
  return protocols.includes(url.protocol) && url.hostname !== '' ? url : null;
}

const LABEL = /^([a-z][a-z0-9_]{0,62})=([^"\\\p{C}]{1,128})$/u;
const OWN = new Set([
  'incident',
  'host',
  'severity',
  'kind',
  'component',
  'component_type',
  'job',
  'user',
  'alertname',
]);

export const LABELS = {
  type: 'array',
  description: 'What this host is part of, name=value each: labels that routes, groups and silences can use.',
  items: { type: 'string', maxLength: 200, examples: ['rack=r14'] },
  maxItems: 16,
  default: [],
} as const;

export function ownLabels(
  raw: readonly string[],
  pointer: string,
  findings: Findings,
): Readonly<Record<string, string>> {
  const labels: Record<string, string> = {};
  for (const [at, text] of raw.entries()) {
    const [, name = '', value = ''] = LABEL.exec(text) ?? [];
    if (name === '' || OWN.has(name))
      findings.problem(
        'FL1106',
        `${pointer}/${at}`,
        'must be name=value, and no label of an incident. Write: rack=r14',
      );
    else labels[name] = value;
  }
  return labels;
}
