// TLS files: the certificates that a configuration names, read again for each connection, so that renewed ones are used.

import { readFile } from 'node:fs/promises';
import { codeOrText } from '../../../helpers/error-code.ts';

export interface TlsFiles {
  readonly tls: boolean;
  readonly caFile: string | null;
  readonly certificateFile: string | null;
  readonly keyFile: string | null;
}

export interface TlsMaterial {
  readonly ca: Buffer | null;
  readonly key: Buffer | null;
  readonly certificate: Buffer | null;
}

const NO_MATERIAL: TlsMaterial = { ca: null, key: null, certificate: null };

/** Rejects with a text that names the file. */
export async function tlsMaterial({ tls, caFile, keyFile, certificateFile }: TlsFiles): Promise<TlsMaterial> {
  if (!tls) return NO_MATERIAL;
  const [ca, key, certificate] = await Promise.all([content(caFile), content(keyFile), content(certificateFile)]);
  return { ca, key, certificate };
}

async function content(path: string | null): Promise<Buffer | null> {
  if (path === null) return null;
  try {
    return await readFile(path);
  } catch (error) {
    throw new Error(`the certificate file ${path} cannot be read (${codeOrText(error)})`);
  }
}
