// Archive: a bundle's files as one tar.gz. The same files give the same bytes.

import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { Header } from 'tar/header';

const BLOCK = 512;
const MODE = 0o640;

export interface BundleFile {
  readonly path: string;
  /** What it is, for whoever opens the bundle. */
  readonly what: string;
  readonly bytes: Buffer;
}

export function sha256(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

/** `folder`: what all of them are unpacked into. Names are ours: short, and without anything that leads elsewhere. */
export async function archiveOf(folder: string, files: readonly BundleFile[], atMs: number): Promise<Buffer> {
  const blocks = files.flatMap(({ path, bytes }) => {
    const header = new Header({
      path: `${folder}/${path}`,
      type: 'File',
      mode: MODE,
      uid: 0,
      gid: 0,
      uname: '',
      gname: '',
      size: bytes.length,
      mtime: new Date(atMs),
    });
    const head = Buffer.alloc(BLOCK);
    if (header.encode(head, 0)) throw new Error(`${path} does not fit into the header of a tar archive`);
    return [head, bytes, Buffer.alloc((BLOCK - (bytes.length % BLOCK)) % BLOCK)];
  });
  return await promisify(gzip)(Buffer.concat([...blocks, Buffer.alloc(2 * BLOCK)]));
}
