// Over TLS: a server with the certificate of the configuration; loaded where there is one.

import { readFile } from 'node:fs/promises';
import type { RequestListener, ServerOptions } from 'node:http';
import { createServer, type Server } from 'node:https';

const HANDSHAKE_MS = 5_000;

export async function overTls({
  certificateFile,
  keyFile,
}: {
  readonly certificateFile: string;
  readonly keyFile: string;
}): Promise<(options: ServerOptions, answer: RequestListener) => Server> {
  const [cert, key] = await Promise.all([readFile(certificateFile), readFile(keyFile)]);
  const own = { cert, key, minVersion: 'TLSv1.2', handshakeTimeout: HANDSHAKE_MS } as const;
  return (options, answer) => createServer({ ...options, ...own }, answer);
}
