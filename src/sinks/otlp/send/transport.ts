// Transport: carries one serialised request to one collector and says what came of it.

import { readFile } from 'node:fs/promises';
import type { OtlpTarget } from '../../../config/otlp-config.ts';
import type { Answer } from './answer.ts';

export interface Transport {
  /** Never rejects; answers within the target's timeout. */
  send(bytes: Uint8Array): Promise<Answer>;
  close(): void;
}

/** A new connection takes the place of one whose requests got no answer this often in a row: it may be half open. */
export const DEADLINES_IN_A_ROW = 5;

export interface TlsMaterial {
  readonly ca: Buffer | null;
  readonly key: Buffer | null;
  readonly certificate: Buffer | null;
}

const NO_MATERIAL: TlsMaterial = { ca: null, key: null, certificate: null };

/** Rejects with a text that names the file. Read anew for each connection, so that renewed certificates are taken up. */
export async function tlsMaterial(target: OtlpTarget): Promise<TlsMaterial> {
  if (!target.tls) return NO_MATERIAL;
  const [ca, key, certificate] = await Promise.all([
    content(target.caFile),
    content(target.keyFile),
    content(target.certificateFile),
  ]);
  return { ca, key, certificate };
}

async function content(path: string | null): Promise<Buffer | null> {
  if (path === null) return null;
  try {
    return await readFile(path);
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : String(error);
    throw new Error(`the certificate file ${path} cannot be read (${code})`);
  }
}
