// An HTTP server that is bounded in every direction, and gone within a moment when told to close.

import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

const MAX_CONNECTIONS = 32;
const REQUEST_MS = 5000;
const CLOSE_MS = 100;
/** The longest that a timer can be set to. */
const NEVER_MS = 2 ** 31 - 1;

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
      keepAliveTimeout: REQUEST_MS,
      // Node's own check of slow requests wakes an idle process all day; a timer per connection costs nothing then.
      headersTimeout: 0,
      requestTimeout: 0,
      connectionsCheckingInterval: NEVER_MS,
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
  refuseSlowRequests(server, onRefused);
  server.on('clientError', (_error, socket) => {
    onRefused();
    if (socket.writable) socket.write('HTTP/1.1 400 Bad Request\r\nconnection: close\r\ncontent-length: 0\r\n\r\n');
    socket.destroy();
  });
  return { server, close: () => close(server, sockets) };
}

/** A request must be whole within `REQUEST_MS` of its connection, or of the answer before it and the longest pause after that. */
function refuseSlowRequests(server: Server, onRefused: () => void): void {
  const deadlines = new WeakMap<Socket, NodeJS.Timeout>();
  const disarm = (socket: Socket): void => clearTimeout(deadlines.get(socket));
  const arm = (socket: Socket, ms: number): void => {
    disarm(socket);
    if (socket.destroyed) return;
    const late = (): void => {
      onRefused();
      if (socket.writable)
        socket.write('HTTP/1.1 408 Request Timeout\r\nconnection: close\r\ncontent-length: 0\r\n\r\n');
      socket.destroy();
    };
    deadlines.set(socket, setTimeout(late, ms).unref());
  };
  server.on('connection', (socket) => {
    arm(socket, REQUEST_MS);
    socket.once('close', () => disarm(socket));
  });
  // Runs before the answer: a request without a body is whole here, one with a body when its last byte was read.
  server.prependListener('request', (request, response) => {
    const { socket } = request;
    if (request.complete || !hasBody(request)) disarm(socket);
    else request.once('end', () => disarm(socket));
    response.once('finish', () => arm(socket, 2 * REQUEST_MS));
  });
}

/** Whether more of the request than its headers is to come. */
export function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) !== 0;
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
