// Ed25519 signatures of a release in forms that common tools verify: minisign's, a bare one for openssl, DSSE for the provenance.
// usage: node scripts/lib/release/sign.mjs FOLDER KEY.pem

import { createHash, createPrivateKey, createPublicKey, sign } from 'node:crypto';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const PAYLOAD_TYPE = 'application/vnd.in-toto+json';
const [folder, keyFile] = process.argv.slice(2);
const { VERSION, SOURCE_DATE_EPOCH } = process.env;
const key = createPrivateKey(readFileSync(keyFile));
if (key.asymmetricKeyType !== 'ed25519') throw new Error(`${keyFile} is not an Ed25519 key`);
const publicKey = createPublicKey(key);
const spki = publicKey.export({ type: 'spki', format: 'der' });
/** Ed25519 has its 32 bytes at the end. */
const raw = spki.subarray(-32);
const keyId = createHash('sha256').update(spki).digest().subarray(0, 8);
const signed = (bytes) => sign(null, bytes, key);
const write = (name, content) => writeFileSync(join(folder, name), content);
const shownId = Buffer.from(keyId).reverse().toString('hex').toUpperCase();

const sums = readFileSync(join(folder, 'SHA256SUMS'));
write('SHA256SUMS.sig', signed(sums));

// minisign: of the file's BLAKE2b hash, then of signature and comment together.
const signature = signed(createHash('blake2b512').update(sums).digest());
const comment = `faultline ${VERSION}, commit of ${new Date(Number(SOURCE_DATE_EPOCH) * 1000).toISOString()}`;
const whole = signed(Buffer.concat([signature, Buffer.from(comment)]));
write(
  'SHA256SUMS.minisig',
  [
    'untrusted comment: Faultline release',
    Buffer.concat([Buffer.from('ED'), keyId, signature]).toString('base64'),
    `trusted comment: ${comment}`,
    `${whole.toString('base64')}\n`,
  ].join('\n'),
);
const minisignKey = Buffer.concat([Buffer.from('Ed'), keyId, raw]).toString('base64');
write('faultline-release.pub', `untrusted comment: Faultline release key ${shownId}\n${minisignKey}\n`);
write('faultline-release.pub.pem', publicKey.export({ type: 'spki', format: 'pem' }));

// The statement goes into its envelope; loose, it would be another claim.
const name = `faultline-${VERSION}.intoto.json`;
const payload = readFileSync(join(folder, name));
const encoded = `DSSEv1 ${PAYLOAD_TYPE.length} ${PAYLOAD_TYPE} ${payload.length} `;
const envelope = {
  payloadType: PAYLOAD_TYPE,
  payload: payload.toString('base64'),
  signatures: [{ keyid: shownId, sig: signed(Buffer.concat([Buffer.from(encoded), payload])).toString('base64') }],
};
write(`${name}l`, `${JSON.stringify(envelope)}\n`);
rmSync(join(folder, name));
