// One PDU entry with its secrets read; what its SNMP version needs and does not need is checked here.

import type { PduConfig, SnmpUser } from './config.ts';
import type { Findings } from './findings.ts';
import { parseDuration } from './quantity.ts';
import type { RawPdu } from './schema.ts';
import { readSecret } from './secret.ts';
import { isPublic, writtenOutText } from './written-secrets.ts';

export function resolvePdu(
  raw: RawPdu,
  pointer: string,
  folder: (path: string) => string,
  findings: Findings,
): PduConfig {
  const secret = (path: string, key: string): string | null => {
    const read = readSecret(folder(path));
    if ('error' in read) {
      findings.problem('FL1109', `${pointer}/${key}`, read.error);
      return null;
    }
    if (read.warning !== null) findings.warning('FL1111', `${pointer}/${key}`, read.warning);
    return read.value;
  };
  // An IPv6 address has more colons, or stands in brackets.
  const [, host, port] = /^([^:]+):(\d+)$/.exec(raw.host) ?? /^\[(.+)\]:(\d+)$/.exec(raw.host) ?? [];
  if (host !== undefined) {
    const own = Number(port) >= 1 && Number(port) <= 65_535 ? Number(port) : raw.port;
    const text = `names a port as well (got ${raw.host}). Write: host: "${host}" and port: ${own}`;
    findings.problem('FL1106', `${pointer}/host`, text);
  }
  const intervalMs = parseDuration(raw.interval) ?? 0; // the schema let only durations through
  return {
    name: raw.name,
    host: raw.host,
    port: raw.port,
    version: raw.version,
    community: raw.version === '3' ? noCommunity(raw, pointer, findings) : community(raw, pointer, secret, findings),
    user: raw.version === '3' ? user(raw, pointer, secret, findings) : noUser(raw, pointer, findings),
    intervalMs,
    timeoutMs: parseDuration(raw.timeout) ?? 0,
    retries: raw.retries,
  };
}

type ReadSecret = (path: string, key: string) => string | null;

function community(raw: RawPdu, pointer: string, secret: ReadSecret, findings: Findings): string | null {
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
  if (!isPublic(raw.community) && !findings.expanded(`${pointer}/community`)) {
    findings.problem('FL1109', `${pointer}/community`, writtenOutText('community'));
  }
  return raw.community;
}

function noCommunity(raw: RawPdu, pointer: string, findings: Findings): null {
  for (const key of ['community', 'community_file'] as const) {
    if (raw[key] !== undefined)
      findings.problem('FL1110', `${pointer}/${key}`, 'is not used by version 3. Write: user: {name: ...}');
  }
  return null;
}

function noUser(raw: RawPdu, pointer: string, findings: Findings): null {
  if (raw.user !== undefined)
    findings.problem('FL1110', `${pointer}/user`, `is not used by version ${raw.version}. Write: version: 3`);
  return null;
}

function user(raw: RawPdu, pointer: string, secret: ReadSecret, findings: Findings): SnmpUser | null {
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
