// gRPC transport: one unary call per request, with the bytes as they are.

import { Client, type ClientUnaryCall, Metadata, type ServiceError, status } from '@grpc/grpc-js';
import { errorText } from '../../../helpers/error-text.ts';
import {
  isCertificateTrouble,
  type Outcome,
  oneLine,
  retry,
  taken,
  UNSURE_TRIES,
} from '../../delivery/send/outcome.ts';
import { DEADLINES_IN_A_ROW, type Transport } from '../../delivery/send/transport.ts';
import type { Message } from '../../delivery/spool/frame.ts';
import type { OtlpTarget } from '../settings.ts';
import { grpcCredentials } from './grpc-credentials.ts';
import { grpcTarget } from './grpc-names.ts';
import { partialSuccess, retryDelayMs } from './proto-fields.ts';

/** Service and method of opentelemetry.proto.collector, by signal. */
export const GRPC_PATHS = {
  metrics: '/opentelemetry.proto.collector.metrics.v1.MetricsService/Export',
  logs: '/opentelemetry.proto.collector.logs.v1.LogsService/Export',
  traces: '/opentelemetry.proto.collector.trace.v1.TraceService/Export',
} as const;

const GZIP = 2; // grpc-js CompressionAlgorithms
const asIs = (bytes: Buffer): Buffer => bytes;

export class GrpcTransport implements Transport {
  readonly #target: OtlpTarget;
  readonly #path: string;
  readonly #userAgent: string;
  #client: Client | null = null;
  #call: ClientUnaryCall | null = null;
  #deadlines = 0;

  constructor(target: OtlpTarget, path: string, userAgent: string) {
    this.#target = target;
    this.#path = path;
    this.#userAgent = userAgent;
  }

  async send({ bytes }: Message): Promise<Outcome> {
    try {
      this.#client ??= await this.#connect();
    } catch (error) {
      return retry('certificate', errorText(error));
    }
    const { error, reply } = await this.#export(
      this.#client,
      Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength),
    );
    this.#deadlines = error?.code === status.DEADLINE_EXCEEDED ? this.#deadlines + 1 : 0;
    if (this.#deadlines >= DEADLINES_IN_A_ROW) this.close();
    if (error === null) {
      const { rejected, message } = partialSuccess(reply);
      return taken(rejected, message);
    }
    const outcome = outcomeOf(error);
    if (outcome.is === 'retry' && outcome.difficulty === 'certificate') this.close(); // the files are read again
    return outcome;
  }

  close(): void {
    this.#call?.cancel();
    this.#client?.close();
    this.#client = null;
    this.#deadlines = 0;
  }

  async #connect(): Promise<Client> {
    const { endpoint, compression } = this.#target;
    const credentials = await grpcCredentials(this.#target);
    return new Client(grpcTarget(endpoint), credentials, {
      'grpc.primary_user_agent': this.#userAgent,
      'grpc.default_compression_algorithm': compression === 'gzip' ? GZIP : 0,
      // A connection that is given up must not come back out of the pool that all channels share.
      'grpc.use_local_subchannel_pool': 1,
      'grpc.enable_retries': 0,
      'grpc.max_reconnect_backoff_ms': 5_000,
      'grpc.max_receive_message_length': 1024 * 1024,
    });
  }

  #export(client: Client, bytes: Buffer): Promise<{ error: ServiceError | null; reply: Buffer }> {
    const { timeoutMs, headers } = this.#target;
    const metadata = new Metadata();
    for (const [name, value] of Object.entries(headers)) metadata.set(name, value);
    const options = { deadline: Date.now() + timeoutMs };
    return new Promise((resolve) => {
      this.#call = client.makeUnaryRequest(this.#path, asIs, asIs, bytes, metadata, options, (error, reply) => {
        this.#call = null;
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
