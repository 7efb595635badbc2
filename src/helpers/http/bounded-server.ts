// An HTTP server that is bounded in every direction, has room for whoever comes next, and is gone within a moment when asked to close.

import { createServer, type IncomingMessage, type Server, type ServerOptions, type ServerResponse } from 'node:http';
import type { Server as TlsServer } from 'node:https';
import { Places } from './places.ts';

/**
 * A request must be whole `requestMs` after its connection was made, or its first byte came. Node looks every `checkMs`,
 * which wakes an idle process: seldom, as whoever is slow takes no other's place (places.ts).
 */
const TIMES = { requestMs: 5000, checkMs: 20_000 };
const CLOSE_MS = 100;
/** Connections that wait to be taken; the kernel allows as many by itself. With fewer, who comes behind a crowd is turned away. */
export const BACKLOG = 4096;

type AnyServer = Server | TlsServer;
type Answer = (request: IncomingMessage, response: ServerResponse) => void;

export interface BoundedServer {
  readonly server: AnyServer;
  /** Ends every connection; resolves within 200 ms whatever clients do. */
  close(): Promise<void>;
}

export interface ServerCounts {
  /** What was no HTTP request, or came too slowly. */
  refused: number;
  /** Connections that made room for others. */
  evicted: number;
}

interface Own {
  readonly requestMs?: number;
  readonly checkMs?: number;
  /** Makes it; left out: plain HTTP. */
  readonly make?: (options: ServerOptions, answer: Answer) => AnyServer;
}

export function boundedServer(
  answer: Answer,
  counts: ServerCounts,
  { requestMs = TIMES.requestMs, checkMs = TIMES.checkMs, make = createServer }: Own = {},
): BoundedServer {
  const server = make(
    {
      maxHeaderSize: 8192,
      keepAliveTimeout: requestMs,
      headersTimeout: requestMs,
      requestTimeout: requestMs,
      connectionsCheckingInterval: checkMs,
    },
    answer,
  );
  // Of a connection on which nothing moves, either way.
  server.timeout = 2 * requestMs;
  const places = new Places(server, () => {
    counts.evicted += 1;
  });
  server.on('clientError', (error, socket) => {
    counts.refused += 1;
    const late = 'code' in error && error.code === 'ERR_HTTP_REQUEST_TIMEOUT';
    const status = late ? '408 Request Timeout' : '400 Bad Request';
    // What was no handshake is answered with nothing: the other side speaks another language.
    const spoken = !('code' in error && /^(ERR_SSL|ERR_TLS|ECONN|EPROTO)/.test(String(error.code)));
    if (spoken && socket.writable) socket.write(`HTTP/1.1 ${status}\r\nconnection: close\r\ncontent-length: 0\r\n\r\n`);
    socket.destroy();
  });
  return { server, close: () => close(server, places) };
}

/** Whether more of the request than its headers is to come. */
export function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) !== 0;
}

function close(server: AnyServer, places: Places): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, CLOSE_MS);
    server.close(() => {
      clearTimeout(timer);
      resolve();
    });
    places.clear();
  });
}
