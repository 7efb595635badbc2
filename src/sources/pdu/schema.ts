// Schema of the PDU source's section.

import { choice, duration, item, list, optionalPath, plainName } from '../../config/schema-parts.ts';
import type { RawOf } from '../../config/section.ts';

/** An address or a name, with or without brackets; no URL, and no name and password before an "@". */

const snmpUser = item(
  {
    name: { type: 'string', description: 'SNMPv3 user name.', minLength: 1, maxLength: 32, examples: ['faultline'] },
    level: choice('Security level.', ['noAuthNoPriv', 'authNoPriv', 'authPriv'], 'authPriv'),
    auth_protocol: choice('Authentication.', ['md5', 'sha', 'sha224', 'sha256', 'sha384', 'sha512'], 'sha256'),
    auth_key_file: optionalPath('File with the authentication passphrase.', '/etc/faultline/pdu-auth.key'),
    priv_protocol: choice('Encryption.', ['des', 'aes', 'aes256b', 'aes256r'], 'aes'),
    priv_key_file: optionalPath('File with the privacy passphrase.', '/etc/faultline/pdu-priv.key'),
  },
  ['name'],
);

/** "public" is what every PDU comes with. */
export const communityText = {
  type: 'string',
  description: `Community for versions 1 and 2c, from a variable: \${PDU_COMMUNITY}. Only "public" may be written out.`,
  minLength: 1,
  maxLength: 255,
  secret: true,
  instead: `community: \${PDU_COMMUNITY}, or community_file: <path>`,
  harmless: ['public'],
  examples: [`\${PDU_COMMUNITY}`],
} as const;

const pdu = item(
  {
    name: {
      type: 'string',
      description: 'Name of the PDU; its parts are named pdu_phase/<name>/1 and so on.',
      ...plainName(64),
      examples: ['pdu-b-rack-14'],
    },
    host: {
      type: 'string',
      description: 'Address or host name.',
      pattern: '^[^\\s/@?#]{1,253}$',
      form: 'an address or a host name',
      examples: ['10.0.14.2'],
    },
    port: { type: 'integer', description: 'UDP port.', minimum: 1, maximum: 65535, default: 161 },
    version: choice('SNMP version.', ['1', '2c', '3'], '2c'),
    community: communityText,
    community_file: optionalPath('File with the community for versions 1 and 2c.', '/etc/faultline/pdu-community'),
    user: { ...snmpUser, description: 'SNMPv3 user; needed for version 3.' },
    interval: duration('Time between two reads.', '2s', '500ms', '1h'),
    timeout: duration('Time to wait for one answer.', '1s', '50ms', '1m'),
    trap_port: {
      type: 'integer',
      description: 'UDP port on which its traps and informs are taken; none where left out. Several may share one.',
      minimum: 1,
      maximum: 65535,
      examples: [1162],
    },
    trap_community_file: optionalPath(
      'File with the community of its traps, where it is another.',
      '/etc/faultline/pdu-traps',
    ),
    shared_folder: optionalPath(
      'Folder that all hosts share that read this PDU: one of them polls it, the others take what it read.',
      '/shared/faultline',
    ),
    retries: { type: 'integer', description: 'Further tries after a time-out.', minimum: 0, maximum: 10, default: 1 },
  },
  ['name', 'host'],
);

export const schema = { pdu: list('Power distribution units, over SNMP.', pdu, 256) } as const;

export type RawPdu = RawOf<typeof schema>['pdu'][number];
