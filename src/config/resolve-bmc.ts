// One BMC entry with its secrets read; a URL that cannot be used and a password that would travel in the clear are told.

import { isIP } from 'node:net';
import type { BmcConfig } from './config.ts';
import type { Findings } from './findings.ts';
import { parseDuration } from './quantity.ts';
import type { RawBmc } from './schema.ts';
import { readSecret } from './secret.ts';
import { readTextFile } from './text-file.ts';

export function resolveBmc(
  raw: RawBmc,
  pointer: string,
  absolute: (path: string) => string,
  findings: Findings,
): BmcConfig {
  const url = URL.parse(raw.url);
  if (url === null) {
    findings.problem('FL1110', `${pointer}/url`, 'is no URL of a BMC. Write: url: https://10.0.20.3');
  }
  const clear = url?.protocol === 'http:' && !isLoopback(url.hostname);
  if (clear && raw.user !== undefined) {
    findings.warning('FL2331', `${pointer}/url`, 'sends the password in the clear. Write: https://');
  }
  if (raw.insecure && raw.ca_file !== undefined) {
    findings.problem('FL1110', `${pointer}/insecure`, 'makes ca_file useless. Remove one of them');
  }
  return {
    host: raw.host,
    url: url === null ? raw.url : `${url.protocol}//${url.host}`,
    user: raw.user ?? null,
    password: password(raw, pointer, absolute, findings),
    ca: authority(raw, pointer, absolute, findings),
    insecure: raw.insecure,
    intervalMs: parseDuration(raw.interval) ?? 0, // the schema let only durations through
    timeoutMs: parseDuration(raw.timeout) ?? 0,
  };
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '[::1]' || (isIP(host) === 4 && host.startsWith('127.'));
}

function password(raw: RawBmc, pointer: string, absolute: (path: string) => string, findings: Findings): string | null {
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

function authority(
  raw: RawBmc,
  pointer: string,
  absolute: (path: string) => string,
  findings: Findings,
): string | null {
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
