// Door: one HTTP server for shippers; requests are bounded in bytes, number and time, and each refusal says what to do.

import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { gunzip } from 'node:zlib';
import { errorCode } from '../../helpers/error-code.ts';
import { readRecords } from './read-records.ts';

const PATHS: ReadonlySet<string> = new Set(['/v1/logs', '/logs', '/']);
const MOST_BYTES = 4 * 1024 * 1024;
/** Requests that are read at one time, over all connections. */
const MOST_AT_ONCE = 8;
const CONNECTIONS = 64;
const REQUEST_MS = 10_000;
const IDLE_MS = 300_000;

export interface DoorCounts {
  requests: number;
  refused: number;
}

interface Refused {
  readonly status: number;
  readonly why: string;
}

/** `take`: false where not all could be taken for now, so that the sender sends again. */
export function shipperDoor(counts: DoorCounts, take: (record: Record<string, unknown>) => void): Server {
  let open = 0;
  const server = createServer({ maxHeaderSize: 8192, keepAliveTimeout: IDLE_MS, requestTimeout: REQUEST_MS }, (request, response) => {
    response.on('error', () => {}); // the sender is gone
    if (open >= MOST_AT_ONCE) return refuse(request, response, { status: 429, why: 'too many requests at once. Send it again a moment later' }, counts);
    open += 1;
    void answer(request, response, counts, take).finally(() => {
      open -= 1;
    });
  });
  server.maxConnections = CONNECTIONS;
  server.on('clientError', (_error, socket) => {
    counts.refused += 1;
    socket.destroy();
  });
  return server;
} // biome-ignore format: short enough

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  counts: DoorCounts,
  take: (record: Record<string, unknown>) => void,
): Promise<void> {
  try {
    const refused = refusedHead(request);
    if (refused !== null) return refuse(request, response, refused, counts);
    const body = await bodyOf(request);
    if (typeof body !== 'string') return refuse(request, response, body, counts);
    const records = readRecords(body);
    if (typeof records === 'string') return refuse(request, response, { status: 400, why: records }, counts);
    counts.requests += 1;
    for (const record of records) take(record);
    response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
  } catch {
    response.destroy(); // cut off in the middle
  }
}

function refusedHead({ method, url, headers }: IncomingMessage): Refused | null {
  const path = (url ?? '').split('?', 1)[0] ?? '';
  if (!PATHS.has(path)) return { status: 404, why: 'no such path. Logs are taken at POST /v1/logs' };
  if (method !== 'POST') return { status: 405, why: 'only POST is taken here' };
  const type = headers['content-type'] ?? 'application/json';
  if (/msgpack|protobuf/.test(type)) return { status: 415, why: `${type.slice(0, 64)} is not taken. Fluent Bit: set Format json` };
  const encoding = headers['content-encoding'] ?? 'identity';
  if (encoding !== 'identity' && encoding !== 'gzip') return { status: 415, why: 'content-encoding is not one of gzip and identity' };
  return null;
} // biome-ignore format: one line each

const TOO_LONG: Refused = { status: 413, why: `the request is longer than ${MOST_BYTES} bytes. Send smaller batches` };

async function bodyOf(request: IncomingMessage): Promise<string | Refused> {
  const parts: Buffer[] = [];
  let length = 0;
  for await (const part of request.iterator({ destroyOnReturn: false })) {
    const bytes = Buffer.from(part);
    length += bytes.length;
    if (length > MOST_BYTES) return TOO_LONG;
    parts.push(bytes);
  }
  const bytes = Buffer.concat(parts);
  if (request.headers['content-encoding'] !== 'gzip') return bytes.toString('utf8');
  return new Promise((resolve) => {
    gunzip(bytes, { maxOutputLength: MOST_BYTES }, (error, plain) => {
      if (error === null) resolve(plain.toString('utf8'));
      else if (errorCode(error) === 'ERR_BUFFER_TOO_LARGE') resolve(TOO_LONG);
      else resolve({ status: 400, why: 'the body is not gzip, though its encoding says so' });
    });
  });
}

function refuse(
  request: IncomingMessage,
  response: ServerResponse,
  { status, why }: Refused,
  counts: DoorCounts,
): void {
  counts.refused += 1;
  if (response.headersSent || response.destroyed) return;
  const more = status === 429 ? { 'retry-after': '1' } : {};
  // What is left of the body is not read.
  const close = request.complete ? {} : { connection: 'close' };
  response.writeHead(status, { 'content-type': 'application/json', ...more, ...close });
  response.end(JSON.stringify({ error: why }), () => {
    if (!request.complete) request.destroy();
  });
}
