// DES privacy of SNMPv3 (RFC 3414 section 8) for OpenSSL 3, which no longer offers single DES: old PDUs know nothing else.

import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import snmp from 'net-snmp';

interface Engine {
  readonly engineID: Buffer;
  readonly engineBoots: number;
}

/** Three times the same key makes triple DES single DES. */
const CIPHER = 'des-ede3-cbc';
const BLOCK = 8;

function keyAndIv(
  authProtocol: snmp.AuthProtocols,
  passphrase: string,
  engineId: Buffer,
  salt: Buffer,
): { key: Buffer; iv: Buffer } {
  if (authProtocol === snmp.AuthProtocols.none) throw new Error('privacy needs authentication');
  const localized = snmp.Authentication.passwordToKey(authProtocol, passphrase, engineId);
  const key = localized.subarray(0, BLOCK);
  const preIv = localized.subarray(BLOCK, 2 * BLOCK);
  return { key: Buffer.concat([key, key, key]), iv: Buffer.from(preIv.map((byte, i) => byte ^ (salt[i] ?? 0))) };
}

function encryptPdu(
  pdu: Buffer,
  _protocol: unknown,
  passphrase: string,
  authProtocol: snmp.AuthProtocols,
  engine: Engine,
): { encryptedPdu: Buffer; msgPrivacyParameters: Buffer } {
  const salt = Buffer.concat([Buffer.alloc(4), randomBytes(4)]);
  salt.writeUInt32BE(engine.engineBoots >>> 0, 0);
  const { key, iv } = keyAndIv(authProtocol, passphrase, engine.engineID, salt);
  const cipher = createCipheriv(CIPHER, key, iv).setAutoPadding(false);
  const padded = Buffer.concat([pdu, Buffer.alloc((BLOCK - (pdu.length % BLOCK)) % BLOCK)]);
  return { encryptedPdu: Buffer.concat([cipher.update(padded), cipher.final()]), msgPrivacyParameters: salt };
}

function decryptPdu(
  encrypted: Buffer,
  _protocol: unknown,
  salt: Buffer,
  passphrase: string,
  authProtocol: snmp.AuthProtocols,
  engine: Engine,
): Buffer {
  const { key, iv } = keyAndIv(authProtocol, passphrase, engine.engineID, salt);
  const decipher = createDecipheriv(CIPHER, key, iv).setAutoPadding(false);
  return Buffer.concat([decipher.update(encrypted), decipher.final()]);
}

/** Puts this cipher in the protocol library's table of privacy protocols; idempotent. */
export function installDesPrivacy(): void {
  // The type package declares the library's own functions there; these take the same arguments.
  const table = snmp.Encryption.algorithms as unknown as Record<number, object>;
  Object.assign(table[snmp.PrivProtocols.des] ?? {}, { encryptPdu, decryptPdu });
}
