// Settings of the BMC source: a URL that cannot be used, and a password that would be sent in the clear, are reported.

import { durationMs } from '../../config/quantity.ts';
import { duration, item, list, optionalPath, plainName } from '../../config/schema-parts.ts';
import { readSecret } from '../../config/secret.ts';
import type { NameList, RawOf, Resolving } from '../../config/section.ts';
import { unique } from '../../config/unique.ts';
import { readTextFile } from '../../helpers/files/text-file.ts';
import { isPlainBeyondLoopback } from '../../helpers/loopback.ts';

const bmc = item(
  {
    host: {
      type: 'string',
      description:
        'Name of the host that the BMC is of, whose supplies are named psu/<host>/1 and so on; or of the coolant unit whose own service it is: cdu/<host>.',
      ...plainName(253),
      examples: ['node-3'],
    },
    url: {
      type: 'string',
      description: 'Where the BMC answers, without a path. http:// sends the password in the clear.',
      pattern: '^https?://[^\\s/@?#]{1,253}/?$',
      form: 'a URL without a path, a user or a password',
      origin: true,
      examples: ['https://10.0.20.3'],
    },
    user: {
      type: 'string',
      description: 'User with read rights; asked without a login when left out.',
      minLength: 1,
      maxLength: 128,
      examples: ['faultline'],
    },
    password_file: optionalPath('File with the password of the user.', '/etc/faultline/bmc-password'),
    ca_file: optionalPath(
      "Certificate of the BMC or of who issued it, PEM; the system's are used when left out.",
      '/etc/faultline/bmc-ca.pem',
    ),
    pin: {
      type: 'string',
      description:
        'The certificate that is trusted whoever issued it: its SHA-256 fingerprint, or first_use for the one that the BMC shows first; another one is refused.',
      pattern: '^(first_use|[0-9a-fA-F]{2}(:?[0-9a-fA-F]{2}){31})$',
      form: 'first_use or a SHA-256 fingerprint',
      examples: ['first_use'],
    },
    insecure: { type: 'boolean', description: 'Accept any certificate.', default: false },
    logs: { type: 'boolean', description: "Read the BMC's logs of events.", default: true },
    push: {
      type: 'boolean',
      description: 'Let the BMC send events as they happen where it can (server-sent events).',
      default: true,
    },
    shared_folder: optionalPath(
      'Folder that all hosts share that read this coolant unit: one of them polls it, the others take what it read of the unit.',
      '/shared/faultline',
    ),
    interval: duration('Time between two reads.', '10s', '500ms', '1h'),
    timeout: duration('Time to wait for one answer.', '10s', '100ms', '5m'),
  },
  ['host', 'url'],
);

export const schema = { bmc: list('Baseboard management controllers, over Redfish.', bmc, 256) } as const;

export interface BmcSettings {
  /** The host that the BMC is of. */
  readonly host: string;
  /** Scheme, host and port. */
  readonly url: string;
  readonly user: string | null;
  readonly password: string | null;
  /** PEM; null: the system's authorities. */
  readonly ca: string | null;
  readonly insecure: boolean;
  /** `first_use`, or SHA-256 in hex; null: authorities decide. */
  readonly pin?: string | null;
  /** Where hosts agree on who polls; null or left out: this one does. */
  readonly sharedFolder?: string | null;
  /** Left out: read. */
  readonly logs?: boolean;
  /** Left out: taken where they are offered. */
  readonly push?: boolean;
  readonly intervalMs: number;
  readonly timeoutMs: number;
}

export function resolve({ bmc }: RawOf<typeof schema>, at: Resolving): readonly BmcSettings[] {
  const hosts = bmc.map(({ host }) => host);
  unique(hosts, '/sources/bmc', 'host', at.findings);
  return bmc.map((entry, i) => resolveBmc(entry, `/sources/bmc/${i}`, at));
}

export const names: readonly NameList<readonly BmcSettings[]>[] = [
  { type: 'host', key: 'bmc', list: (bmcs) => bmcs.map(({ host }) => ({ id: host })) },
];

type RawBmc = RawOf<typeof schema>['bmc'][number];

function resolveBmc(raw: RawBmc, pointer: string, at: Resolving): BmcSettings {
  const { findings } = at;
  const url = URL.parse(raw.url);
  if (url === null) {
    findings.problem('FL1110', `${pointer}/url`, 'is not a valid URL of a BMC. Write: url: https://10.0.20.3');
  }
  const clear = isPlainBeyondLoopback(raw.url);
  if (clear && raw.user !== undefined) {
    findings.warning('FL2331', `${pointer}/url`, 'sends the password in the clear. Write: https://');
  }
  if (raw.insecure && raw.ca_file !== undefined) {
    findings.problem('FL1110', `${pointer}/insecure`, 'makes ca_file useless. Remove one of them');
  }
  for (const other of ['insecure', 'ca_file'] as const) {
    if (raw.pin === undefined || raw[other] === undefined || raw[other] === false) continue;
    findings.problem('FL1110', `${pointer}/pin`, `and ${other} are both given. Remove one of them`);
  }
  return {
    host: raw.host,
    url: url === null ? raw.url : `${url.protocol}//${url.host}`,
    user: raw.user ?? null,
    password: password(raw, pointer, at),
    ca: authority(raw, pointer, at),
    insecure: raw.insecure,
    pin: raw.pin === undefined ? null : pinOf(raw.pin),
    logs: raw.logs,
    push: raw.push,
    sharedFolder: raw.shared_folder === undefined ? null : at.absolute(raw.shared_folder),
    intervalMs: durationMs(raw.interval),
    timeoutMs: durationMs(raw.timeout),
  };
}

/** As the certificate's own is compared. */
export function pinOf(text: string): string {
  return text.replaceAll(':', '').toLowerCase();
}

function password(raw: RawBmc, pointer: string, { absolute, findings }: Resolving): string | null {
  if (raw.password_file === undefined) {
    if (raw.user !== undefined) {
      const line = 'Write: password_file: /etc/faultline/bmc-password';
      findings.problem('FL1107', pointer, `needs the password of user ${raw.user}. ${line}`);
    }
    return null;
  }
  if (raw.user === undefined) {
    findings.problem('FL1107', pointer, 'has a password_file and needs a user. Write: user: faultline');
  }
  const read = readSecret(absolute(raw.password_file));
  if ('error' in read) {
    findings.problem('FL1109', `${pointer}/password_file`, read.error);
    return null;
  }
  if (read.warning !== null) findings.warning('FL1111', `${pointer}/password_file`, read.warning);
  return read.value;
}

function authority(raw: RawBmc, pointer: string, { absolute, findings }: Resolving): string | null {
  if (raw.ca_file === undefined) return null;
  const path = absolute(raw.ca_file);
  const read = readTextFile(path);
  const text = read ?? '';
  if (read === null) findings.problem('FL1109', `${pointer}/ca_file`, `names ${path}, which cannot be read`);
  else if (!text.includes('-----BEGIN CERTIFICATE-----')) {
    findings.problem('FL1109', `${pointer}/ca_file`, `names ${path}, which holds no PEM certificate`);
  }
  return text;
}
