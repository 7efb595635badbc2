// HTTP transport: one POST per request over one agent, with the bytes as they are or gzipped.

import { type ClientRequest, Agent as HttpAgent, request as httpRequest, type IncomingMessage } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { OtlpTarget } from '../../../config/otlp-config.ts';
import { names } from '../../../helpers/name-book.ts';
import { type Answer, again, isCertificateTrouble, oneLine, UNSURE_TRIES } from './answer.ts';
import { partialSuccess, protoFields } from './proto-fields.ts';
import { DEADLINES_IN_A_ROW, type Transport, tlsMaterial } from './transport.ts';

const MOST_REPLY_BYTES = 64 * 1024;
const compress = promisify(gzip);

interface Reply {
  readonly status: number;
  readonly retryAfter: string | undefined;
  readonly body: Buffer;
}

export class HttpTransport implements Transport {
  readonly #target: OtlpTarget;
  readonly #userAgent: string;
  #agent: HttpAgent | null = null;
  #deadlines = 0;

  constructor(target: OtlpTarget, userAgent: string) {
    this.#target = target;
    this.#userAgent = userAgent;
  }

  async send(bytes: Uint8Array): Promise<Answer> {
    let reply: Reply;
    try {
      this.#agent ??= await this.#connect();
      const body = this.#target.compression === 'gzip' ? await compress(bytes) : bytes;
      reply = await this.#post(this.#agent, body);
    } catch (error) {
      return this.#unanswered(error);
    }
    this.#deadlines = 0;
    return answerOf(reply);
  }

  close(): void {
    this.#agent?.destroy();
    this.#agent = null;
    this.#deadlines = 0;
  }

  async #connect(): Promise<HttpAgent> {
    const common = { keepAlive: true, maxSockets: 1, lookup: names.lookup };
    if (!this.#target.tls) return new HttpAgent(common);
    const { ca, key, certificate } = await tlsMaterial(this.#target);
    return new HttpsAgent({
      ...common,
      ...(ca === null ? {} : { ca }),
      ...(key === null ? {} : { key }),
      ...(certificate === null ? {} : { cert: certificate }),
    });
  }

  #post(agent: HttpAgent, body: Uint8Array): Promise<Reply> {
    const { endpoint, tls, headers, compression, timeoutMs } = this.#target;
    return new Promise((resolve, reject) => {
      const request: ClientRequest = (tls ? httpsRequest : httpRequest)(endpoint, {
        agent,
        method: 'POST',
        headers: {
          ...headers,
          'content-type': 'application/x-protobuf',
          'content-length': body.byteLength,
          'user-agent': this.#userAgent,
          ...(compression === 'gzip' ? { 'content-encoding': 'gzip' } : {}),
        },
      });
      const timer = setTimeout(() => request.destroy(new Deadline(timeoutMs)), timeoutMs);
      const end = (settle: () => void) => {
        clearTimeout(timer);
        settle();
      };
      request.on('error', (error) => end(() => reject(error)));
      request.on('response', (response) => {
        readReply(response).then(
          (reply) => end(() => resolve(reply)),
          (error: unknown) => end(() => reject(error)),
        );
      });
      request.end(body);
    });
  }

  #unanswered(error: unknown): Answer {
    const code = error instanceof Error && 'code' in error ? `${String(error.code)}: ` : '';
    const why = `${code}${error instanceof Error ? error.message : String(error)}`;
    if (!(error instanceof Deadline)) {
      this.#deadlines = 0;
      names.failed(new URL(this.#target.endpoint).hostname);
      if (isCertificateTrouble(why)) {
        this.close(); // the files are read anew
        return again('certificate', why);
      }
      return again('unreachable', why);
    }
    this.#deadlines += 1;
    if (this.#deadlines >= DEADLINES_IN_A_ROW) {
      names.failed(new URL(this.#target.endpoint).hostname);
      this.close();
    }
    return again('deadline', why);
  }
}

class Deadline extends Error {
  constructor(timeoutMs: number) {
    super(`no answer within ${timeoutMs} ms`);
  }
}

async function readReply(response: IncomingMessage): Promise<Reply> {
  const parts: Buffer[] = [];
  let length = 0;
  for await (const part of response) {
    const chunk: Buffer = part; // a response without an encoding gives buffers
    length += chunk.length;
    if (length <= MOST_REPLY_BYTES) parts.push(chunk);
  }
  return { status: response.statusCode ?? 0, retryAfter: response.headers['retry-after'], body: Buffer.concat(parts) };
}

/** Classes of status codes: OTLP specification, "OTLP/HTTP response", and where we hold on to more than it asks for. */
function answerOf({ status, retryAfter, body }: Reply): Answer {
  if (status >= 200 && status < 300) return { is: 'taken', ...partialSuccess(body) };
  const why = oneLine(`HTTP ${status} ${statusMessage(body)}`);
  const afterMs = retryAfterMs(retryAfter, Date.now());
  if (status === 429 || status === 503) return again('busy', why, { afterMs });
  if (status === 502 || status === 504 || status === 408) return again('failing', why, { afterMs });
  if (status >= 500) return again('failing', why, { tries: UNSURE_TRIES });
  if (status === 401 || status === 403 || status === 404 || status === 405 || status < 400) return { is: 'shut', why };
  return { is: 'refused', why };
}

/** The message of the google.rpc.Status that OTLP servers put into the body, else the body as text. */
function statusMessage(body: Buffer): string {
  const message = protoFields(body)?.find((field) => field.number === 2)?.bytes;
  return Buffer.from(message ?? body.subarray(0, 200)).toString('utf8');
}

/** Retry-After as seconds or as a date (RFC 9110, 10.2.3). */
export function retryAfterMs(header: string | undefined, nowMs: number): number | null {
  if (header === undefined) return null;
  if (/^\d{1,9}$/.test(header)) return Number(header) * 1000;
  const date = Date.parse(header);
  return Number.isNaN(date) ? null : Math.max(date - nowMs, 0);
}
