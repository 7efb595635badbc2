// The local API: HTTP on a unix socket that only its owner and group may use.

import { unlinkSync } from 'node:fs';
import { boundedServer } from '../helpers/http/bounded-server.ts';
import { answer, noRequests } from './answer.ts';
import type { ApiBackend } from './backend.ts';
import type { ApiCounters } from './route.ts';
import { ROUTES } from './routes.ts';
import { type KeeperOptions, SocketKeeper } from './socket-keeper.ts';
import { socketPermit } from './socket-permit.ts';

export interface ApiServer {
  readonly path: string;
  readonly counters: Readonly<ApiCounters>;
  /** Why no client can connect, in words; null while the socket is there. */
  trouble(): string | null;
  /** Ends every connection and removes the socket; resolves within 200 ms whatever clients do. */
  close(): Promise<void>;
}

type ApiServerOptions = Partial<Pick<KeeperOptions, 'onTrouble' | 'checkMs'>> & {
  /** Only its members may write; null: whoever may connect. Asked at each request, as a reload may change it. */
  readonly writeGroup?: () => string | null;
};

/**
 * Listens on `<runtimeDirectory>/faultline.sock`, mode 0660, and puts that back where it is removed. Throws FL411x
 * when it cannot.
 */
export async function startApi(
  backend: ApiBackend,
  runtimeDirectory: string,
  { writeGroup = () => null, ...keep }: ApiServerOptions = {},
): Promise<ApiServer> {
  const counters: ApiCounters = noRequests();
  const answering = { routes: ROUTES, backend, counters, permit: socketPermit(writeGroup) };
  const { server, close } = boundedServer((request, response) => void answer(answering, request, response), counters);
  const keeper = new SocketKeeper({ server, runtimeDirectory, onTrouble: () => {}, ...keep });
  await keeper.listen();
  const { path } = keeper;
  return {
    path,
    counters,
    trouble: () => keeper.trouble,
    close: () => {
      keeper.close();
      const closed = close();
      try {
        unlinkSync(path); // the server removes it too; whichever comes second finds nothing
      } catch {}
      return closed;
    },
  };
}
