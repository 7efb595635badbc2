// Server certificate: whether the files that a listener is given can be used, before anything listens with them.

import { createPrivateKey, X509Certificate } from 'node:crypto';
import { closeSync, constants, openSync, readFileSync } from 'node:fs';
import { codeOrText } from '../helpers/error-code.ts';
import { errorText } from '../helpers/error-text.ts';

export interface CertificateFiles {
  readonly certificateFile: string;
  readonly keyFile: string;
  readonly clientCaFile: string | null;
}

export interface CertificateTrouble {
  readonly file: 'certificate_file' | 'key_file' | 'client_ca_file';
  /** Continues the name of the key. */
  readonly text: string;
  /** It cannot be used; otherwise it works, and should be looked at. */
  readonly serious: boolean;
}

const SOON_MS = 14 * 86_400_000;

/** Empty where all is well. */
export function certificateTrouble(files: CertificateFiles, nowMs: number): readonly CertificateTrouble[] {
  const found: CertificateTrouble[] = [];
  const certificate = read('certificate_file', files.certificateFile, (pem) => new X509Certificate(pem));
  const key = read('key_file', files.keyFile, (pem) => createPrivateKey(pem));
  if (files.clientCaFile !== null) read('client_ca_file', files.clientCaFile, (pem) => new X509Certificate(pem));
  if (certificate === null) return found;
  const endsMs = Date.parse(certificate.validTo);
  if (endsMs <= nowMs) add('certificate_file', `names a certificate that ended on ${certificate.validTo}. Renew it`);
  else if (endsMs - nowMs < SOON_MS)
    add('certificate_file', `names a certificate that ends on ${certificate.validTo}. Renew it`, false);
  if (key !== null && !certificate.checkPrivateKey(key))
    add('key_file', `names ${files.keyFile}, which is the key of another certificate`);
  return found;

  function add(file: CertificateTrouble['file'], text: string, serious = true): void {
    found.push({ file, text, serious });
  }

  function read<T>(file: CertificateTrouble['file'], path: string, parse: (pem: Buffer) => T): T | null {
    let pem: Buffer;
    try {
      const opened = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK); // a FIFO must not block
      try {
        pem = readFileSync(opened);
      } finally {
        closeSync(opened);
      }
    } catch (error) {
      add(file, `names ${path}, which cannot be read (${codeOrText(error)})`);
      return null;
    }
    try {
      return parse(pem);
    } catch (error) {
      // OpenSSL's words have no content of the file in them.
      add(file, `names ${path}, which is not of the form that it needs, PEM (${errorText(error).slice(0, 120)})`);
      return null;
    }
  }
}
