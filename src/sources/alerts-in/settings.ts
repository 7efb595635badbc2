// Settings of the receiver of alerts.

import { durationMs } from '../../config/quantity.ts';
import { choice, duration, item, list, optionalPath, plainName, section } from '../../config/schema-parts.ts';
import { readSecret } from '../../config/secret.ts';
import type { RawOf, Resolving } from '../../config/section.ts';
import { certificateTrouble } from '../../config/server-certificate.ts';
import { digestOf } from '../../config/token-digest.ts';
import { type Address, isLocal, parseAddress } from '../address.ts';
import { type Mapping, POINTER_PATTERN } from './mapping.ts';

export const EXAMPLE = 'sources: {alerts_in: {listen: ["127.0.0.1:9467"]}}';

const pointer = (description: string, example: string) =>
  ({
    type: 'string',
    description,
    pattern: POINTER_PATTERN,
    form: 'a JSON pointer such as /labels/alertname',
    examples: [example],
  }) as const;

const GENERIC = item(
  {
    name: { ...plainName(32), type: 'string', description: 'It is sent to /v1/webhook/<name>.', examples: ['grafana'] },
    items: pointer('Where the list of alerts is in the body; the body is one alert when left out.', '/alerts'),
    alert: pointer('In an alert: its name.', '/labels/alertname'),
    status: pointer('In an alert: whether it fires.', '/status'),
    resolved: {
      type: 'array',
      description: 'Values of status that mean that it is over; anything else means that it fires.',
      items: { type: 'string', minLength: 1, maxLength: 64, examples: ['resolved'] },
      maxItems: 8,
      default: ['resolved', 'ok', 'OK', 'closed'],
    },
    severity: pointer('In an alert: how bad it is.', '/labels/severity'),
    summary: pointer('In an alert: one line about it.', '/annotations/summary'),
    starts: pointer('In an alert: when it began, RFC 3339.', '/startsAt'),
    labels: pointer('In an alert: its labels, which say what it is about.', '/labels'),
  },
  ['name', 'alert'],
);

export const schema = {
  alerts_in: section(
    'Alerts of other systems: they join what this host finds as evidence. Off until an address is given.',
    {
      listen: list(
        'Addresses for HTTP: "127.0.0.1:9467", or "unix:/run/faultline/alerts.sock". Alertmanager posts to /v1/alertmanager, VMAlert and Prometheus to /api/v2/alerts.',
        {
          type: 'string',
          pattern: '^\\S{1,128}$',
          form: '"127.0.0.1:9467" or "unix:/path"',
          examples: ['127.0.0.1:9467'],
        },
        8,
      ),
      token_file: optionalPath(
        'File with the token that senders show: 16 characters or more on one line.',
        '/etc/faultline/alerts.token',
      ),
      certificate_file: optionalPath(
        'Certificate to show; with it TLS alone is spoken over TCP.',
        '/etc/faultline/alerts.pem',
      ),
      key_file: optionalPath('Key of that certificate.', '/etc/faultline/alerts.key'),
      trust: choice(
        'tenant: whoever reaches the address may have sent it. facility: only where a token keeps others out.',
        ['tenant', 'facility'],
        'tenant',
      ),
      expire_after: duration('An alert that is not sent again for so long counts as over.', '5h', '1m', '7d'),
      generic: list('Other systems: where in their JSON things are.', GENERIC, 16),
    },
  ),
} as const;

export interface AlertsInSettings {
  readonly listen: readonly Address[];
  readonly tokenDigest: string | null;
  readonly tls: { readonly certificateFile: string; readonly keyFile: string } | null;
  readonly trust: 'tenant' | 'facility';
  readonly expireMs: number;
  readonly generic: readonly Mapping[];
}

export function resolve({ alerts_in: raw }: RawOf<typeof schema>, at: Resolving): AlertsInSettings {
  const { findings, absolute } = at;
  const tokenDigest = token(raw.token_file, at);
  const { certificate_file: certificate, key_file: key } = raw;
  if ((certificate === undefined) !== (key === undefined))
    findings.problem(
      'FL1110',
      '/sources/alerts_in',
      'needs certificate_file and key_file together. Add the one that is missing',
    );
  const tls =
    certificate === undefined || key === undefined
      ? null
      : { certificateFile: absolute(certificate), keyFile: absolute(key) };
  if (tls !== null)
    for (const { file, text, serious } of certificateTrouble({ ...tls, clientCaFile: null }, Date.now()))
      findings[serious ? 'problem' : 'warning'](serious ? 'FL1109' : 'FL1111', `/sources/alerts_in/${file}`, text);
  const listen = raw.listen.flatMap((text, i) => {
    const pointerTo = `/sources/alerts_in/listen/${i}`;
    const address = parseAddress(text);
    if (address === null)
      findings.problem(
        'FL1106',
        pointerTo,
        `is not an address (got ${text}). Write "127.0.0.1:9467" or "unix:/run/faultline/alerts.sock"`,
      );
    else if (!isLocal(address) && (tls === null || raw.token_file === undefined))
      findings.problem(
        'FL1110',
        pointerTo,
        `is reached by other hosts (${text}): it needs token_file, certificate_file and key_file. Or write 127.0.0.1`,
      );
    return address === null ? [] : [address];
  });
  if (raw.trust === 'facility' && raw.token_file === undefined)
    findings.problem(
      'FL1110',
      '/sources/alerts_in/trust',
      'needs token_file: without one any user of this host may send alerts',
    );
  const names = new Set<string>();
  for (const [i, { name }] of raw.generic.entries()) {
    if (names.has(name))
      findings.problem(
        'FL1106',
        `/sources/alerts_in/generic/${i}/name`,
        'is the name of another one too. Give each its own',
      );
    names.add(name);
  }
  const generic = raw.generic.map(
    (one): Mapping => ({
      name: one.name,
      items: one.items ?? null,
      alert: one.alert,
      status: one.status ?? null,
      resolved: one.resolved,
      severity: one.severity ?? null,
      summary: one.summary ?? null,
      starts: one.starts ?? null,
      labels: one.labels ?? null,
    }),
  );
  return { listen, tokenDigest, tls, trust: raw.trust, expireMs: durationMs(raw.expire_after), generic };
}

function token(path: string | undefined, { findings, absolute }: Resolving): string | null {
  if (path === undefined) return null;
  const at = '/sources/alerts_in/token_file';
  const read = readSecret(absolute(path));
  if ('error' in read) {
    findings.problem('FL1109', at, read.error);
    return null;
  }
  if (read.warning !== null) findings.warning('FL1111', at, read.warning);
  if (/^[\x21-\x7e]{16,512}$/.test(read.value)) return digestOf(read.value);
  findings.problem(
    'FL1109',
    at,
    `names ${path}, which must hold 16 to 512 characters without spaces. Run: openssl rand -hex 32 > ${path}`,
  );
  return null;
}
