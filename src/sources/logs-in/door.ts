// Door: one HTTP server for shippers; requests are bounded in bytes, rate and time, and each refusal says what to do.

import type { IncomingMessage, ServerResponse } from 'node:http';
import { gunzip } from 'node:zlib';
import { errorCode } from '../../helpers/error-code.ts';
import { type BoundedServer, boundedServer, type ServerCounts } from '../../helpers/http/bounded-server.ts';
import { type Budget, Busy, type Holding } from '../../helpers/http/budget.ts';
import { linger } from '../../helpers/http/linger.ts';
import type { Turns } from '../../helpers/http/turns.ts';
import { type Sender, senderOf } from '../sender.ts';
import { readRecords } from './read-records.ts';

const PATHS: ReadonlySet<string> = new Set(['/v1/logs', '/logs', '/']);
const MOST_BYTES = 4 * 1024 * 1024;
const REQUEST_MS = 10_000;
const MADE_ROOM = 'too many requests at once, and this one was not whole. Send it again a moment later';
const RETRY_MS = 1000;

export interface DoorCounts extends ServerCounts {
  requests: number;
}

export interface DoorOptions {
  readonly counts: DoorCounts;
  /** Of all doors together, as is whose turn it is. */
  readonly budget: Budget;
  readonly turns: Turns;
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
    const { counts, budget } = this.#options;
    const cut = new AbortController();
    const held = budget.holding(() => {
      counts.evicted += 1;
      cut.abort(new Busy(MADE_ROOM, RETRY_MS));
    });
    try {
      const refused = refusedHead(request);
      if (refused !== null) return refuse(request, response, refused, counts);
      // Nothing of the body is read before it is known to have a chance.
      const sender = await senderOf(request.socket);
      held.sender = sender.name;
      budget.askForCpu(sender.name);
      budget.ask(Number(request.headers['content-length'] ?? 0), sender.name);
      const body = await this.#body(request, held, cut.signal);
      if (typeof body !== 'string') return refuse(request, response, body, counts);
      const wrong = await this.#takeInTurn(body, sender);
      if (wrong !== null) return refuse(request, response, { status: 400, why: wrong }, counts);
      response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
    } catch (error) {
      if (!(error instanceof Busy)) return void response.destroy(); // cut off in the middle
      refuse(request, response, { status: 429, why: error.message, retryMs: error.retryMs }, counts);
    } finally {
      held.release();
    }
  }

  /** Null where they were taken, else what is wrong with them. */
  async #takeInTurn(body: string, sender: Sender): Promise<string | null> {
    const { counts, budget, turns, take } = this.#options;
    await turns.of(sender.name);
    budget.askForCpu(sender.name);
    const began = process.threadCpuUsage();
    try {
      const records = readRecords(body);
      if (typeof records === 'string') return records;
      counts.requests += 1;
      take(records, sender);
      return null;
    } finally {
      const { user, system } = process.threadCpuUsage(began);
      budget.worked((user + system) / 1000, sender.name);
    }
  }

  async #body(request: IncomingMessage, held: Holding, cut: AbortSignal): Promise<string | Refused> {
    const { budget } = this.#options;
    const bytes = await collected(request, held, cut);
    if (bytes === null) return TOO_LONG;
    held.whole();
    budget.spend(bytes.length, held.sender);
    if (request.headers['content-encoding'] !== 'gzip') return bytes.toString('utf8');
    held.add(MOST_BYTES);
    const plain = await gunzipped(bytes);
    // How much was inflated of what cannot be used is not known.
    budget.owe(Buffer.isBuffer(plain) ? plain.length : MOST_BYTES, held.sender);
    return Buffer.isBuffer(plain) ? plain.toString('utf8') : plain;
  }
}

/** All that comes; null where it is too long. What is left after a failure stays unread, for who answers. */
function collected(request: IncomingMessage, held: Holding, cut: AbortSignal): Promise<Buffer | null> {
  const parts: Buffer[] = [];
  let length = 0;
  return new Promise((resolve, reject) => {
    const stop = (): void => {
      request.off('data', take).pause();
    };
    const fail = (error: unknown): void => {
      stop();
      reject(error);
    };
    const take = (part: Buffer): void => {
      length += part.length;
      try {
        if (length <= MOST_BYTES) held.add(part.length);
        else {
          stop();
          resolve(null);
        }
        parts.push(part);
      } catch (error) {
        fail(error);
      }
    };
    request.once('end', () => resolve(Buffer.concat(parts)));
    request.once('error', fail);
    request.once('close', () => fail(new Error('the sender is gone')));
    cut.addEventListener('abort', () => fail(cut.reason), { once: true });
    if (cut.aborted) fail(cut.reason);
    else request.on('data', take);
  });
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
  const body = Buffer.from(JSON.stringify({ error: why }));
  if (!request.complete) response.setHeader('connection', 'close');
  response.writeHead(status, { 'content-type': 'application/json', 'content-length': body.length });
  if (request.complete) response.end(body);
  else linger(request, response, body);
}
