// HTTP transport: one POST per message over one agent, with the bytes as they are or gzipped.

import { type ClientRequest, Agent as HttpAgent, request as httpRequest, type IncomingMessage } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { callOut, httpCall, httpEnd } from '../../../helpers/calls.ts';
import { errorCode } from '../../../helpers/error-code.ts';
import { errorText } from '../../../helpers/error-text.ts';
import { names } from '../../../helpers/name-book.ts';
import type { Message } from '../spool/frame.ts';
import { type HttpBodies, type HttpReply, httpOutcome } from './http-outcome.ts';
import { isCertificateTrouble, type Outcome, retry } from './outcome.ts';
import { type TlsFiles, tlsMaterial } from './tls-files.ts';
import { DEADLINES_IN_A_ROW, type Transport } from './transport.ts';

const MOST_REPLY_BYTES = 64 * 1024;
const compress = promisify(gzip);

export interface HttpTarget extends TlsFiles {
  /** The whole URL. */
  readonly endpoint: string;
  /** Lower-case names; the values may be secret. */
  readonly headers: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
  readonly compression: 'none' | 'gzip';
  /** http://[user:password@]host:port of a proxy; left out or null: none. */
  readonly proxy?: string | null;
}

/** What one message is sent as, where that is not its bytes to the endpoint of the target. */
export interface HttpRequest {
  readonly endpoint: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
}

export interface HttpTransportOptions extends HttpBodies {
  readonly target: HttpTarget;
  readonly contentType: string;
  readonly userAgent: string;
  /** No span is made of it: what carries spans would make more of them for ever. */
  readonly untraced?: boolean;
  /** Headers of one message, such as an idempotency key made of `messageId`. */
  readonly headersOf?: (message: Message) => Readonly<Record<string, string>>;
  /** Made again for each try, so that no secret is in the spool; an outcome where there is nothing to send. Never rejects. */
  readonly requestOf?: (message: Message) => Promise<HttpRequest | Outcome>;
  /** What a reply means, where the status code does not say all of it. Never rejects. */
  readonly outcomeOf?: (reply: HttpReply, message: Message) => Promise<Outcome>;
}

export class HttpTransport implements Transport {
  readonly #options: HttpTransportOptions;
  readonly #target: HttpTarget;
  #agent: HttpAgent | null = null;
  #deadlines = 0;

  constructor(options: HttpTransportOptions) {
    this.#options = options;
    this.#target = options.target;
  }

  async send(message: Message): Promise<Outcome> {
    let reply: HttpReply;
    try {
      const request = await this.#requestOf(message);
      if ('is' in request) return request;
      this.#agent ??= await this.#connect();
      const body = this.#target.compression === 'gzip' ? await compress(request.body) : request.body;
      reply = await this.#post(this.#agent, { ...request, body });
    } catch (error) {
      return this.#unanswered(error);
    }
    this.#deadlines = 0;
    const { outcomeOf } = this.#options;
    return outcomeOf === undefined ? httpOutcome(reply, this.#options) : await outcomeOf(reply, message);
  }

  close(): void {
    this.#agent?.destroy();
    this.#agent = null;
    this.#deadlines = 0;
  }

  async #requestOf(message: Message): Promise<HttpRequest | Outcome> {
    const { requestOf, headersOf } = this.#options;
    if (requestOf !== undefined) return await requestOf(message);
    return { endpoint: this.#target.endpoint, headers: headersOf?.(message) ?? {}, body: message.bytes };
  }

  async #connect(): Promise<HttpAgent> {
    const { proxy } = this.#target;
    const proxyEnv = proxy == null ? {} : { proxyEnv: { HTTP_PROXY: proxy, HTTPS_PROXY: proxy } };
    const common = { keepAlive: true, maxSockets: 1, lookup: names.lookup, ...proxyEnv };
    if (!this.#target.tls) return new HttpAgent(common);
    const { ca, key, certificate } = await tlsMaterial(this.#target);
    return new HttpsAgent({
      ...common,
      ...(ca === null ? {} : { ca }),
      ...(key === null ? {} : { key }),
      ...(certificate === null ? {} : { cert: certificate }),
    });
  }

  #post(agent: HttpAgent, { endpoint, body, headers: own }: HttpRequest): Promise<HttpReply> {
    const { tls, headers, compression, timeoutMs } = this.#target;
    const { contentType, userAgent, untraced = false } = this.#options;
    // The path of a webhook is often its secret.
    const traced = untraced ? null : callOut(() => httpCall('POST', new URL('/', endpoint)));
    const given = traced?.traceparent ?? null;
    return new Promise((resolve, reject) => {
      const request: ClientRequest = (tls ? httpsRequest : httpRequest)(endpoint, {
        agent,
        method: 'POST',
        headers: {
          ...headers,
          ...own,
          'content-type': contentType,
          'content-length': body.byteLength,
          'user-agent': userAgent,
          ...(given === null ? {} : { traceparent: given }),
          ...(compression === 'gzip' ? { 'content-encoding': 'gzip' } : {}),
        },
      });
      const timer = setTimeout(() => request.destroy(new Deadline(timeoutMs)), timeoutMs);
      const end = (settle: () => void) => {
        clearTimeout(timer);
        settle();
      };
      request.on('error', (error) => {
        traced?.end({ error: errorCode(error) ?? 'error' });
        end(() => reject(error));
      });
      request.on('response', (response) => {
        traced?.end(httpEnd(response.statusCode ?? 0));
        readReply(response).then(
          (reply) => end(() => resolve(reply)),
          (error: unknown) => end(() => reject(error)),
        );
      });
      request.end(body);
    });
  }

  #unanswered(error: unknown): Outcome {
    const code = errorCode(error);
    const why = `${code === null ? '' : `${code}: `}${errorText(error)}`;
    if (!(error instanceof Deadline)) {
      this.#deadlines = 0;
      names.failed(new URL(this.#target.endpoint).hostname);
      if (isCertificateTrouble(why)) {
        this.close(); // the files are read again
        return retry('certificate', why);
      }
      return retry('unreachable', why);
    }
    this.#deadlines += 1;
    if (this.#deadlines >= DEADLINES_IN_A_ROW) {
      names.failed(new URL(this.#target.endpoint).hostname);
      this.close();
    }
    return retry('deadline', why);
  }
}

class Deadline extends Error {
  constructor(timeoutMs: number) {
    super(`no answer within ${timeoutMs} ms`);
  }
}

async function readReply(response: IncomingMessage): Promise<HttpReply> {
  const parts: Buffer[] = [];
  let length = 0;
  for await (const part of response) {
    const chunk: Buffer = part; // a response without an encoding gives buffers
    length += chunk.length;
    if (length <= MOST_REPLY_BYTES) parts.push(chunk);
  }
  return { status: response.statusCode ?? 0, retryAfter: response.headers['retry-after'], body: Buffer.concat(parts) };
}
