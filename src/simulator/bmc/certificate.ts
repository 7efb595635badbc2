// A self-signed certificate made at start: X.509 v3 (RFC 5280) in DER, signed with a P-256 key; no program is asked for it.

import { generateKeyPairSync, randomBytes, sign } from 'node:crypto';

export interface MadeCertificate {
  /** PEM. */
  readonly key: string;
  readonly certificate: string;
}

const SEQUENCE = 0x30;
const SET = 0x31;
const UTF8 = 0x0c;
const UTC_TIME = 0x17;
const DAY_MS = 86_400_000;

const ECDSA_WITH_SHA256 = oid('1.2.840.10045.4.3.2');
const COMMON_NAME = oid('2.5.4.3');
const SUBJECT_ALT_NAME = oid('2.5.29.17');
const BASIC_CONSTRAINTS = oid('2.5.29.19');

function tlv(tag: number, ...content: readonly Buffer[]): Buffer {
  const body = Buffer.concat(content);
  if (body.length < 0x80) return Buffer.concat([Buffer.from([tag, body.length]), body]);
  const length = Buffer.from([body.length >> 8, body.length & 0xff]);
  return Buffer.concat([Buffer.from([tag, 0x82]), length, body]);
}

function oid(text: string): Buffer {
  const [first = 0, second = 0, ...rest] = text.split('.').map(Number);
  const bytes = [first * 40 + second];
  for (const arc of rest) {
    const groups = [arc & 0x7f];
    for (let left = arc >>> 7; left > 0; left >>>= 7) groups.unshift((left & 0x7f) | 0x80);
    bytes.push(...groups);
  }
  return tlv(0x06, Buffer.from(bytes));
}

function utcTime(epochMs: number): Buffer {
  const digits = new Date(epochMs).toISOString().replace(/[-:T]/g, '').slice(2, 14);
  return tlv(UTC_TIME, Buffer.from(`${digits}Z`));
}

/** Valid from yesterday for a month. `address` is an IPv4 address. */
export function selfSignedCertificate(commonName: string, address: string, nowMs = Date.now()): MadeCertificate {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const algorithm = tlv(SEQUENCE, ECDSA_WITH_SHA256);
  const name = tlv(SEQUENCE, tlv(SET, tlv(SEQUENCE, COMMON_NAME, tlv(UTF8, Buffer.from(commonName)))));
  const ip = tlv(0x87, Buffer.from(address.split('.').map(Number)));
  const extensions = tlv(
    SEQUENCE,
    tlv(SEQUENCE, BASIC_CONSTRAINTS, tlv(0x04, tlv(SEQUENCE, tlv(0x01, Buffer.from([0xff]))))),
    tlv(SEQUENCE, SUBJECT_ALT_NAME, tlv(0x04, tlv(SEQUENCE, tlv(0x82, Buffer.from(commonName)), ip))),
  );
  const serial = randomBytes(8);
  serial[0] = ((serial[0] ?? 0) & 0x7f) | 0x40; // positive, and of full length
  const body = tlv(
    SEQUENCE,
    tlv(0xa0, tlv(0x02, Buffer.from([2]))),
    tlv(0x02, serial),
    algorithm,
    name,
    tlv(SEQUENCE, utcTime(nowMs - DAY_MS), utcTime(nowMs + 30 * DAY_MS)),
    name,
    publicKey.export({ type: 'spki', format: 'der' }),
    tlv(0xa3, extensions),
  );
  const signature = tlv(0x03, Buffer.from([0]), sign('sha256', body, privateKey));
  const der = tlv(SEQUENCE, body, algorithm, signature);
  const lines = der.toString('base64').match(/.{1,64}/g) ?? [];
  return {
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    certificate: `-----BEGIN CERTIFICATE-----\n${lines.join('\n')}\n-----END CERTIFICATE-----\n`,
  };
}
