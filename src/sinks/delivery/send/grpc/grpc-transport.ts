// gRPC transport: one unary call per request, with the bytes as they are.

import { Client, type ClientUnaryCall, Metadata, type ServiceError, status } from '@grpc/grpc-js';
import { callOut, grpcCall } from '../../../../helpers/calls.ts';
import { errorText } from '../../../../helpers/error-text.ts';
import type { Message } from '../../spool/frame.ts';
import { isCertificateTrouble, type Outcome, oneLine, retry, taken, UNSURE_TRIES } from '../outcome.ts';
import type { TlsFiles } from '../tls-files.ts';
import { DEADLINES_IN_A_ROW, type Transport } from '../transport.ts';
import { grpcCredentials } from './grpc-credentials.ts';
import { grpcTarget } from './grpc-names.ts';
import { retryDelayMs } from './reply-fields.ts';

export interface GrpcTarget extends TlsFiles {
  /** Scheme and authority, or a unix: address. */
  readonly endpoint: string;
  /** Lower-case names; the values may be secret. */
  readonly headers: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
  readonly compression: 'none' | 'gzip';
}

export interface GrpcOptions {
  readonly target: GrpcTarget;
  /** `/package.Service/Method`. */
  readonly path: string;
  readonly userAgent: string;
  /** No span is made of it: what carries spans would make more of them for ever. */
  readonly untraced?: boolean;
  /** What is sent of a message, or what came of it without sending; left out, its bytes as they are. */
  readonly requestOf?: (message: Message) => Promise<GrpcRequest | Outcome>;
  /** Left out, a reply means that all was taken. */
  readonly partial?: (reply: Buffer) => { readonly rejected: number; readonly message: string };
}

export interface GrpcRequest {
  readonly body: Uint8Array;
  /** Besides those of the target. */
  readonly headers: Readonly<Record<string, string>>;
}

const GZIP = 2; // grpc-js CompressionAlgorithms
const asIs = (bytes: Buffer): Buffer => bytes;

export class GrpcTransport implements Transport {
  /** grpc-js puts its own header in front of a message. */
  readonly copies = true;
  readonly #options: GrpcOptions;
  #client: Client | null = null;
  #underWay: ClientUnaryCall | null = null;
  #deadlines = 0;

  constructor(options: GrpcOptions) {
    this.#options = options;
  }

  async send(message: Message): Promise<Outcome> {
    const request = (await this.#options.requestOf?.(message)) ?? { body: message.bytes, headers: {} };
    if ('is' in request) return request;
    const { body } = request;
    try {
      this.#client ??= await this.#connect();
    } catch (error) {
      return retry('certificate', errorText(error));
    }
    const bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength);
    const { error, reply } = await this.#call(this.#client, bytes, request.headers);
    this.#deadlines = error?.code === status.DEADLINE_EXCEEDED ? this.#deadlines + 1 : 0;
    if (this.#deadlines >= DEADLINES_IN_A_ROW) this.close();
    if (error === null) {
      const { rejected, message: why } = this.#options.partial?.(reply) ?? { rejected: 0, message: '' };
      return taken(rejected, why);
    }
    const outcome = outcomeOf(error);
    if (outcome.is === 'retry' && outcome.difficulty === 'certificate') this.close(); // the files are read again
    return outcome;
  }

  close(): void {
    this.#underWay?.cancel();
    this.#client?.close();
    this.#client = null;
    this.#deadlines = 0;
  }

  async #connect(): Promise<Client> {
    const { target, userAgent } = this.#options;
    const { endpoint, compression } = target;
    const credentials = await grpcCredentials(target);
    return new Client(grpcTarget(endpoint), credentials, {
      'grpc.primary_user_agent': userAgent,
      'grpc.default_compression_algorithm': compression === 'gzip' ? GZIP : 0,
      // A connection that is given up must not come back out of the pool that all channels share.
      'grpc.use_local_subchannel_pool': 1,
      'grpc.enable_retries': 0,
      'grpc.max_reconnect_backoff_ms': 5_000,
      'grpc.max_receive_message_length': 1024 * 1024,
    });
  }

  #call(
    client: Client,
    bytes: Buffer,
    more: GrpcRequest['headers'],
  ): Promise<{ error: ServiceError | null; reply: Buffer }> {
    const { path, target } = this.#options;
    const { timeoutMs, headers } = target;
    const metadata = new Metadata();
    for (const [name, value] of Object.entries({ ...headers, ...more })) metadata.set(name, value);
    const options = { deadline: Date.now() + timeoutMs };
    const traced = this.#options.untraced === true ? null : callOut(() => grpcCall(path, target.endpoint));
    if (traced?.traceparent != null) metadata.set('traceparent', traced.traceparent);
    return new Promise((resolve) => {
      this.#underWay = client.makeUnaryRequest(path, asIs, asIs, bytes, metadata, options, (error, reply) => {
        this.#underWay = null;
        const code = error?.code ?? 0;
        const attributes = { 'rpc.grpc.status_code': code };
        traced?.end(error === null ? { attributes } : { attributes, error: status[code] ?? String(code) });
        resolve({ error, reply: reply ?? Buffer.alloc(0) });
      });
    });
  }
}

/** Classes of status codes: OTLP specification, "OTLP/gRPC response", and where we hold on to more than it asks for. */
function outcomeOf(error: ServiceError): Outcome {
  const why = oneLine(`${status[error.code]}: ${error.details.replace(/\.? *Resolution note:.*$/s, '')}`);
  const [detail] = error.metadata?.get('grpc-status-details-bin') ?? [];
  const afterMs = Buffer.isBuffer(detail) ? retryDelayMs(detail) : null;
  switch (error.code) {
    case status.UNAVAILABLE: {
      const connected = !/No connection established|Connection dropped|ECONN|name resolution/i.test(error.details);
      if (isCertificateTrouble(error.details)) return retry('certificate', why);
      return retry(connected ? 'busy' : 'unreachable', why, { afterMs });
    }
    case status.DEADLINE_EXCEEDED:
      return retry('deadline', why, { afterMs });
    case status.CANCELLED:
    case status.ABORTED:
    case status.OUT_OF_RANGE:
    case status.DATA_LOSS:
      return retry('failing', why, { afterMs });
    case status.RESOURCE_EXHAUSTED:
      return retry('busy', why, afterMs === null ? { tries: UNSURE_TRIES } : { afterMs });
    case status.UNKNOWN:
    case status.INTERNAL:
      return retry('failing', why, { tries: UNSURE_TRIES });
    case status.UNAUTHENTICATED:
    case status.PERMISSION_DENIED:
    case status.UNIMPLEMENTED:
      return { is: 'closed', why };
    default:
      return { is: 'fatal', why };
  }
}
