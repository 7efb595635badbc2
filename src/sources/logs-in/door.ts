// Door: one HTTP server for shippers; requests are bounded in bytes, rate and time, and each refusal says what to do.

import type { IncomingMessage, ServerResponse } from 'node:http';
import { gunzip } from 'node:zlib';
import { errorCode } from '../../helpers/error-code.ts';
import { type BoundedServer, boundedServer, type ServerCounts } from '../../helpers/http/bounded-server.ts';
import { type Budget, Busy, type Holding } from '../../helpers/http/budget.ts';
import { type Sender, senderOf } from '../sender.ts';
import { readRecords } from './read-records.ts';

const PATHS: ReadonlySet<string> = new Set(['/v1/logs', '/logs', '/']);
const MOST_BYTES = 4 * 1024 * 1024;
const REQUEST_MS = 10_000;

export interface DoorCounts extends ServerCounts {
  requests: number;
}

export interface DoorOptions {
  readonly counts: DoorCounts;
  /** Of all doors together. */
  readonly budget: Budget;
  readonly take: (records: readonly Record<string, unknown>[], sender: Sender) => void;
}

interface Refused {
  readonly status: number;
  readonly why: string;
  readonly retryMs?: number;
}

export function shipperDoor(options: DoorOptions): BoundedServer {
  const door = new Door(options);
  return boundedServer((request, response) => void door.answer(request, response), options.counts, {
    requestMs: REQUEST_MS,
  });
}

class Door {
  readonly #options: DoorOptions;

  constructor(options: DoorOptions) {
    this.#options = options;
  }

  async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    response.on('error', () => {}); // the sender is gone
    const { counts, budget, take } = this.#options;
    const held = budget.holding(() => {
      counts.evicted += 1;
      request.destroy();
    });
    try {
      const refused = refusedHead(request);
      if (refused !== null) return refuse(request, response, refused, counts);
      const body = await this.#body(request, held);
      if (typeof body !== 'string') return refuse(request, response, body, counts);
      const records = readRecords(body);
      if (typeof records === 'string') return refuse(request, response, { status: 400, why: records }, counts);
      const sender = await senderOf(request.socket);
      counts.requests += 1;
      take(records, sender);
      response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
    } catch (error) {
      if (!(error instanceof Busy)) return void response.destroy(); // cut off in the middle
      refuse(request, response, { status: 429, why: error.message, retryMs: error.retryMs }, counts);
    } finally {
      held.release();
    }
  }

  async #body(request: IncomingMessage, held: Holding): Promise<string | Refused> {
    const { budget } = this.#options;
    const parts: Buffer[] = [];
    let length = 0;
    for await (const part of request.iterator({ destroyOnReturn: false })) {
      const bytes = Buffer.from(part);
      length += bytes.length;
      if (length > MOST_BYTES) return TOO_LONG;
      held.add(bytes.length);
      parts.push(bytes);
    }
    held.whole();
    budget.spend(length);
    const bytes = Buffer.concat(parts);
    if (request.headers['content-encoding'] !== 'gzip') return bytes.toString('utf8');
    held.add(MOST_BYTES);
    const plain = await gunzipped(bytes);
    // How much was inflated of what cannot be used is not known.
    budget.owe(Buffer.isBuffer(plain) ? plain.length : MOST_BYTES);
    return Buffer.isBuffer(plain) ? plain.toString('utf8') : plain;
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

function gunzipped(bytes: Buffer): Promise<Buffer | Refused> {
  return new Promise((resolve) => {
    gunzip(bytes, { maxOutputLength: MOST_BYTES }, (error, plain) => {
      if (error === null) resolve(plain);
      else if (errorCode(error) === 'ERR_BUFFER_TOO_LARGE') resolve(TOO_LONG);
      else resolve({ status: 400, why: 'the body is not gzip, though its encoding says so' });
    });
  });
}

function refuse(
  request: IncomingMessage,
  response: ServerResponse,
  { status, why, retryMs }: Refused,
  counts: DoorCounts,
): void {
  counts.refused += 1;
  if (response.headersSent || response.destroyed) return;
  if (retryMs !== undefined) response.setHeader('retry-after', Math.ceil(retryMs / 1000));
  // What is left of the body is not read.
  const close = request.complete ? {} : { connection: 'close' };
  response.writeHead(status, { 'content-type': 'application/json', ...close });
  response.end(JSON.stringify({ error: why }), () => {
    if (!request.complete) request.destroy();
  });
}
