// The local API: HTTP on a unix socket, bounded in every direction, gone within a moment when told to close.

import { chmodSync, unlinkSync } from 'node:fs';
import { createServer } from 'node:http';
import type { Socket } from 'node:net';
import type { ApiBackend } from './backend.ts';
import { type ApiCounters, answer } from './routes.ts';
import { prepareSocketPath } from './socket-path.ts';

const MAX_CONNECTIONS = 32;
const REQUEST_MS = 5000;
const CLOSE_MS = 100;

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
  const server = createServer(
    {
      maxHeaderSize: 8192,
      headersTimeout: REQUEST_MS,
      requestTimeout: REQUEST_MS,
      keepAliveTimeout: REQUEST_MS,
      connectionsCheckingInterval: 1000,
    },
    (request, response) => answer(backend, request, response, counters),
  );
  server.maxConnections = MAX_CONNECTIONS;
  server.timeout = 2 * REQUEST_MS;
  const sockets = new Set<Socket>();
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  server.on('clientError', (_error, socket) => {
    counters.refused += 1;
    if (socket.writable) socket.write('HTTP/1.1 400 Bad Request\r\nconnection: close\r\ncontent-length: 0\r\n\r\n');
    socket.destroy();
  });
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
  return { path, counters, close: () => close(server, sockets, path) };
}

function close(server: ReturnType<typeof createServer>, sockets: ReadonlySet<Socket>, path: string): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, CLOSE_MS);
    server.close(() => {
      clearTimeout(timer);
      resolve();
    });
    for (const socket of sockets) socket.destroy();
    try {
      unlinkSync(path); // the server removes it too; whichever comes second finds nothing
    } catch {}
  });
}
