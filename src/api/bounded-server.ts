// An HTTP server that is bounded in every direction, and gone within a moment when told to close.

import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

const MAX_CONNECTIONS = 32;
const REQUEST_MS = 5000;
const CLOSE_MS = 100;

export interface BoundedServer {
  readonly server: Server;
  /** Ends every connection; resolves within 200 ms whatever clients do. */
  close(): Promise<void>;
}

/** `onRefused` is called for what was no HTTP request, or came too slowly. */
export function boundedServer(
  answer: (request: IncomingMessage, response: ServerResponse) => void,
  onRefused: () => void,
): BoundedServer {
  const server = createServer(
    {
      maxHeaderSize: 8192,
      headersTimeout: REQUEST_MS,
      requestTimeout: REQUEST_MS,
      keepAliveTimeout: REQUEST_MS,
      connectionsCheckingInterval: 1000,
    },
    answer,
  );
  server.maxConnections = MAX_CONNECTIONS;
  server.timeout = 2 * REQUEST_MS;
  const sockets = new Set<Socket>();
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  server.on('clientError', (_error, socket) => {
    onRefused();
    if (socket.writable) socket.write('HTTP/1.1 400 Bad Request\r\nconnection: close\r\ncontent-length: 0\r\n\r\n');
    socket.destroy();
  });
  return { server, close: () => close(server, sockets) };
}

function close(server: Server, sockets: ReadonlySet<Socket>): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, CLOSE_MS);
    server.close(() => {
      clearTimeout(timer);
      resolve();
    });
    for (const socket of sockets) socket.destroy();
  });
}
