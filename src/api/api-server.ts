// The local API: HTTP on a unix socket that only its owner and group may use.

import { chmodSync, unlinkSync } from 'node:fs';
import { type ApiCounters, answer } from './answer.ts';
import type { ApiBackend } from './backend.ts';
import { boundedServer } from './bounded-server.ts';
import { ROUTES } from './routes.ts';
import { prepareSocketPath } from './socket-path.ts';

export interface ApiServer {
  readonly path: string;
  readonly counters: Readonly<ApiCounters>;
  /** Ends every connection and removes the socket; resolves within 200 ms whatever clients do. */
  close(): Promise<void>;
}

/** Listens on `<runtimeDirectory>/faultline.sock`, mode 0660. Throws FL411x when it cannot. */
export async function startApi(backend: ApiBackend, runtimeDirectory: string): Promise<ApiServer> {
  const path = await prepareSocketPath(runtimeDirectory);
  const counters: ApiCounters = { requests: 0, refused: 0, streams: 0, slowReaders: 0 };
  const { server, close } = boundedServer(
    (request, response) => void answer(ROUTES, backend, request, response, counters),
    () => {
      counters.refused += 1;
    },
  );
  // The socket must never exist with wider rights, not even for a moment: libuv binds inside listen().
  const mask = process.umask(0o117);
  try {
    const listening = new Promise<void>((resolve, reject) => {
      server.once('listening', resolve);
      server.once('error', (error) => reject(new Error(`FL4112 ${path} cannot be listened on: ${error.message}`)));
    });
    server.listen(path);
    process.umask(mask);
    await listening;
  } finally {
    process.umask(mask);
  }
  chmodSync(path, 0o660);
  return {
    path,
    counters,
    close: () => {
      const closed = close();
      try {
        unlinkSync(path); // the server removes it too; whichever comes second finds nothing
      } catch {}
      return closed;
    },
  };
}
