// Settings of the PDU source: each entry with its secrets read; what its SNMP version needs, and does not need, is checked here.

import { durationMs } from '../../config/quantity.ts';
import { readSecret } from '../../config/secret.ts';
import type { NameList, RawOf, Resolving } from '../../config/section.ts';
import { unique } from '../../config/unique.ts';
import { isHarmless, writtenOutText } from '../../config/written-secrets.ts';
import { communityText, type RawPdu, type schema } from './schema.ts';

export interface PduSettings {
  readonly name: string;
  readonly host: string;
  readonly port: number;
  readonly version: '1' | '2c' | '3';
  /** v1, v2c; read from a file or a ${VARIABLE} of the configuration. */
  readonly community: string | null;
  readonly user: SnmpUser | null;
  readonly intervalMs: number;
  readonly timeoutMs: number;
  readonly retries: number;
  /** Where its traps are taken, null for none. */
  readonly trapPort?: number | null;
  /** By which hosts agree on who polls it, null for none. */
  readonly sharedFolder?: string | null;
  /** Of its traps, where it is another. */
  readonly trapCommunity?: string | null;
}

export interface SnmpUser {
  readonly name: string;
  readonly level: 'noAuthNoPriv' | 'authNoPriv' | 'authPriv';
  readonly authProtocol: 'md5' | 'sha' | 'sha224' | 'sha256' | 'sha384' | 'sha512' | null;
  readonly authKey: string | null;
  readonly privProtocol: 'des' | 'aes' | 'aes256b' | 'aes256r' | null;
  readonly privKey: string | null;
}

export function resolve({ pdu }: RawOf<typeof schema>, at: Resolving): readonly PduSettings[] {
  const all = pdu.map(({ name }) => name);
  unique(all, '/sources/pdu', 'name', at.findings);
  return pdu.map((entry, i) => resolvePdu(entry, `/sources/pdu/${i}`, at));
}

export const names: readonly NameList<readonly PduSettings[]>[] = [
  { type: 'pdu', key: 'pdu', list: (pdus) => pdus.map(({ name }) => ({ id: name })) },
];

function resolvePdu(raw: RawPdu, pointer: string, { absolute, findings }: Resolving): PduSettings {
  const { shared_folder: sharedFolder } = raw;
  const secret = (path: string, key: string): string | null => {
    const read = readSecret(absolute(path));
    if ('error' in read) {
      findings.problem('FL1109', `${pointer}/${key}`, read.error);
      return null;
    }
    if (read.warning !== null) findings.warning('FL1111', `${pointer}/${key}`, read.warning);
    return read.value;
  };
  // An IPv6 address has more colons, or is in brackets.
  const [, host, port] = /^([^:]+):(\d+)$/.exec(raw.host) ?? /^\[(.+)\]:(\d+)$/.exec(raw.host) ?? [];
  if (host !== undefined) {
    const own = Number(port) >= 1 && Number(port) <= 65_535 ? Number(port) : raw.port;
    const text = `names a port as well (got ${raw.host}). Write: host: "${host}" and port: ${own}`;
    findings.problem('FL1106', `${pointer}/host`, text);
  }
  return {
    name: raw.name,
    host: raw.host,
    port: raw.port,
    version: raw.version,
    community: raw.version === '3' ? noCommunity(raw, pointer, findings) : community(raw, pointer, secret, findings),
    user: raw.version === '3' ? user(raw, pointer, secret, findings) : noUser(raw, pointer, findings),
    intervalMs: durationMs(raw.interval),
    timeoutMs: durationMs(raw.timeout),
    retries: raw.retries,
    trapPort: raw.trap_port ?? null,
    sharedFolder: sharedFolder === undefined ? null : absolute(sharedFolder),
    trapCommunity: trapCommunity(raw, pointer, secret, findings),
  };
}

type ReadSecret = (path: string, key: string) => string | null;

function community(raw: RawPdu, pointer: string, secret: ReadSecret, findings: Resolving['findings']): string | null {
  if (raw.community_file !== undefined) {
    if (raw.community !== undefined)
      findings.problem('FL1110', `${pointer}/community`, 'and community_file are both given. Remove one');
    return secret(raw.community_file, 'community_file');
  }
  if (raw.community === undefined) {
    findings.problem(
      'FL1107',
      pointer,
      `needs a community for version ${raw.version}. Write: community_file: /etc/faultline/pdu-community`,
    );
    return null;
  }
  if (!isHarmless(raw.community, communityText) && !findings.expanded(`${pointer}/community`)) {
    findings.problem('FL1109', `${pointer}/community`, writtenOutText(communityText));
  }
  return raw.community;
}

function trapCommunity(
  raw: RawPdu,
  pointer: string,
  secret: ReadSecret,
  findings: Resolving['findings'],
): string | null {
  if (raw.trap_community_file === undefined) return null;
  if (raw.version === '3') {
    findings.problem('FL1110', `${pointer}/trap_community_file`, 'is not used by version 3. Remove it');
    return null;
  }
  return secret(raw.trap_community_file, 'trap_community_file');
}

function noCommunity(raw: RawPdu, pointer: string, findings: Resolving['findings']): null {
  for (const key of ['community', 'community_file'] as const) {
    if (raw[key] !== undefined)
      findings.problem('FL1110', `${pointer}/${key}`, 'is not used by version 3. Write: user: {name: ...}');
  }
  return null;
}

function noUser(raw: RawPdu, pointer: string, findings: Resolving['findings']): null {
  if (raw.user !== undefined)
    findings.problem('FL1110', `${pointer}/user`, `is not used by version ${raw.version}. Write: version: 3`);
  return null;
}

function user(raw: RawPdu, pointer: string, secret: ReadSecret, findings: Resolving['findings']): SnmpUser | null {
  if (raw.user === undefined) {
    findings.problem(
      'FL1107',
      pointer,
      'needs a user for version 3. Write: user: {name: faultline, auth_key_file: <path>, priv_key_file: <path>}',
    );
    return null;
  }
  const { name, level } = raw.user;
  const key = (path: string | undefined, which: 'auth_key_file' | 'priv_key_file'): string | null => {
    if (path === undefined) {
      findings.problem(
        'FL1107',
        `${pointer}/user`,
        `needs ${which} for level ${level}. Write: ${which}: /etc/faultline/pdu-${which.slice(0, 4)}.key`,
      );
      return null;
    }
    const value = secret(path, `user/${which}`);
    // RFC 3414, 11.2: a passphrase has at least eight characters; agents refuse shorter ones.
    if (value !== null && value.length < 8)
      findings.problem(
        'FL1109',
        `${pointer}/user/${which}`,
        'holds fewer than 8 characters, which SNMPv3 does not allow',
      );
    return value;
  };
  const auth = level !== 'noAuthNoPriv';
  const priv = level === 'authPriv';
  return {
    name,
    level,
    authProtocol: auth ? raw.user.auth_protocol : null,
    authKey: auth ? key(raw.user.auth_key_file, 'auth_key_file') : null,
    privProtocol: priv ? raw.user.priv_protocol : null,
    privKey: priv ? key(raw.user.priv_key_file, 'priv_key_file') : null,
  };
}
