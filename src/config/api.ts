// The api section: over TCP only with TLS, and only for those who show a token or a certificate.

import { LISTEN_PATTERN, type Listen, parseListen } from './listen.ts';
import { type FromSchema, optionalPath, plainName, section } from './schema-parts.ts';
import { readSecret } from './secret.ts';
import type { Resolving } from './section.ts';
import { certificateTrouble } from './server-certificate.ts';
import { digestOf } from './token-digest.ts';

export const API = section('Who may use the API. It is always on the local socket; over TCP only where asked for.', {
  listen: {
    type: 'string',
    description:
      'Address and port for the API over TLS; a port alone is on loopback, another address must be written out. Needs a certificate, and a token or client_ca_file. Off when left out.',
    pattern: LISTEN_PATTERN,
    form: 'an address and a port such as 127.0.0.1:9466',
    examples: ['127.0.0.1:9466'],
  },
  certificate_file: optionalPath(
    'Certificate to show, in PEM, with those between it and its root. Taken up when it is renewed.',
    '/etc/faultline/api.pem',
  ),
  key_file: optionalPath('Key of that certificate.', '/etc/faultline/api.key'),
  read_token_file: optionalPath(
    'File with the token of those who may read: 16 characters or more on one line.',
    '/etc/faultline/read.token',
  ),
  write_token_file: optionalPath(
    'File with the token of those who may also acknowledge, silence, declare maintenance and release devices.',
    '/etc/faultline/write.token',
  ),
  client_ca_file: optionalPath(
    'Certificates that sign those of clients: whoever shows one may read without a token.',
    '/etc/faultline/clients-ca.pem',
  ),
  writers: {
    type: 'array',
    description: 'Names (common name, or DNS name) of client certificates that may also write.',
    items: { type: 'string', minLength: 1, maxLength: 253, examples: ['ops.example.com'] },
    maxItems: 64,
    default: [],
  },
  write_group: {
    type: 'string',
    description:
      'On the local socket only members of this group, root and the user of the daemon may write. Left out: whoever may connect.',
    ...plainName(32),
    examples: ['faultline-admin'],
  },
});

export interface ApiTcp {
  readonly listen: Listen;
  readonly certificateFile: string;
  readonly keyFile: string;
  readonly clientCaFile: string | null;
  /** Of the tokens only their digests are kept. Null where there is none. */
  readonly readDigest: string | null;
  readonly writeDigest: string | null;
  readonly writers: readonly string[];
}

export interface ApiConfig {
  /** Null where the API is on the local socket alone. */
  readonly tcp: ApiTcp | null;
  readonly writeGroup: string | null;
}

type Raw = FromSchema<typeof API>;

export function resolveApi(raw: Raw, at: Resolving): ApiConfig {
  const writeGroup = raw.write_group ?? null;
  if (raw.listen === undefined) {
    for (const key of ['certificate_file', 'read_token_file', 'write_token_file', 'client_ca_file'] as const)
      if (raw[key] !== undefined)
        at.findings.problem('FL1110', `/api/${key}`, 'needs api.listen. Add: listen: 127.0.0.1:9466');
    return { tcp: null, writeGroup };
  }
  return { tcp: resolveTcp(raw.listen, raw, at), writeGroup };
}

function resolveTcp(written: string, raw: Raw, { findings, absolute }: Resolving): ApiTcp | null {
  const listen = parseListen(written);
  if (listen === null)
    findings.problem('FL1106', '/api/listen', 'must be an IP address and a port. Write: listen: 127.0.0.1:9466');
  const readDigest = token('read_token_file');
  const writeDigest = token('write_token_file');
  if (readDigest !== null && readDigest === writeDigest)
    findings.problem(
      'FL1109',
      '/api/write_token_file',
      'must hold another token than read_token_file, or all may write',
    );
  const { certificate_file: certificate, key_file: key, client_ca_file: ca, writers } = raw;
  if (raw.read_token_file === undefined && raw.write_token_file === undefined && ca === undefined)
    findings.problem(
      'FL1110',
      '/api/listen',
      'needs read_token_file, write_token_file or client_ca_file: over TCP every request shows a token or a certificate',
    );
  if (ca === undefined && writers.length > 0)
    findings.problem('FL1110', '/api/writers', 'needs client_ca_file, which says whose certificates count');
  if (certificate === undefined || key === undefined) {
    const missing = [certificate === undefined ? 'certificate_file' : '', key === undefined ? 'key_file' : ''];
    findings.problem(
      'FL1110',
      '/api/listen',
      `needs ${missing.filter((name) => name !== '').join(' and ')}: over TCP the API speaks TLS alone`,
    );
    return null;
  }
  const files = {
    certificateFile: absolute(certificate),
    keyFile: absolute(key),
    clientCaFile: ca === undefined ? null : absolute(ca),
  };
  for (const { file, text, serious } of certificateTrouble(files, Date.now())) {
    const pointer = `/api/${file}`;
    if (serious) findings.problem('FL1109', pointer, text);
    else findings.warning('FL1111', pointer, text);
  }
  return listen === null ? null : { listen, ...files, readDigest, writeDigest, writers };

  function token(name: 'read_token_file' | 'write_token_file'): string | null {
    const path = raw[name];
    if (path === undefined) return null;
    const read = readSecret(absolute(path));
    if ('error' in read) {
      findings.problem('FL1109', `/api/${name}`, read.error);
      return null;
    }
    if (read.warning !== null) findings.warning('FL1111', `/api/${name}`, read.warning);
    if (/^[\x21-\x7e]{16,512}$/.test(read.value)) return digestOf(read.value);
    findings.problem(
      'FL1109',
      `/api/${name}`,
      `names ${path}, which must hold 16 to 512 characters without spaces. Run: openssl rand -hex 32 > ${path}`,
    );
    return null;
  }
}
