// A stand-in for a collector, over gRPC and HTTP, whose answers a test decides; what it takes is decoded by otlp-proto.ts.

import { createServer, type Server as HttpServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { gunzipSync } from 'node:zlib';
import {
  Metadata,
  Server,
  ServerCredentials,
  type ServerUnaryCall,
  type StatusObject,
  type sendUnaryData,
  status,
} from '@grpc/grpc-js';
import { GRPC_PATHS } from '../../../src/sinks/otlp/send/grpc-paths.ts';
import { encode, type LogRecord, type Point, readLogs, readMetrics, readTraces, type Span } from './otlp-proto.ts';

export type Signal = 'metrics' | 'logs' | 'traces';

/** What the collector does with one request: takes it after `afterMs`, or answers with a code. */
export interface Reaction {
  readonly code?: number;
  readonly httpStatus?: number;
  readonly retryAfterMs?: number;
  readonly rejected?: number;
  readonly afterMs?: number;
  /** No answer at all. */
  readonly silent?: boolean;
}

export interface Received {
  readonly signal: Signal;
  readonly bytes: Buffer;
  readonly headers: Readonly<Record<string, unknown>>;
}

export class Collector {
  /** Requests that were taken, in order. */
  readonly taken: Received[] = [];
  /** All requests that arrived, taken or not. */
  asked = 0;
  readonly connections = new Set<Socket>();
  /** Connections since the start. */
  connected = 0;
  react: (signal: Signal, number: number) => Reaction = () => ({});
  port = 0;
  #grpc: Server | null = null;
  #http: HttpServer | null = null;
  readonly #closing = new AbortController();

  static async grpc(port = 0, credentials = ServerCredentials.createInsecure()): Promise<Collector> {
    const collector = new Collector();
    const server = new Server({ 'grpc.max_receive_message_length': -1 });
    const asIs = (bytes: Buffer): Buffer => bytes;
    for (const [signal, path] of Object.entries(GRPC_PATHS)) {
      const rpc = {
        path,
        requestStream: false,
        responseStream: false,
        requestSerialize: asIs,
        responseSerialize: asIs,
      };
      server.addService(
        { Export: { ...rpc, requestDeserialize: asIs, responseDeserialize: asIs } },
        {
          Export: (call: ServerUnaryCall<Buffer, Buffer>, reply: sendUnaryData<Buffer>) =>
            collector.#rpc(signal as Signal, call, reply), // the keys of GRPC_PATHS are the signals
        },
      );
    }
    collector.port = await new Promise<number>((resolve, reject) => {
      server.bindAsync(`127.0.0.1:${port}`, credentials, (error, bound) => (error ? reject(error) : resolve(bound)));
    });
    collector.#grpc = server;
    return collector;
  }

  static async http(port = 0): Promise<Collector> {
    const collector = new Collector();
    const server = createServer((request, response) => void collector.#post(request, response));
    server.on('connection', (socket) => {
      collector.connected += 1;
      collector.connections.add(socket);
      socket.on('close', () => collector.connections.delete(socket));
    });
    await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
    collector.port = (server.address() as AddressInfo).port; // a TCP server has an address object
    collector.#http = server;
    return collector;
  }

  get logs(): LogRecord[] {
    return this.#of('logs').flatMap(({ bytes }) => readLogs(bytes).records);
  }

  get spans(): Span[] {
    return this.#of('traces').flatMap(({ bytes }) => readTraces(bytes).spans);
  }

  get points(): Point[] {
    return this.#of('metrics').flatMap(({ bytes }) => readMetrics(bytes).points);
  }

  /** Goes away at once, in the middle of whatever is under way. */
  kill(): void {
    this.#closing.abort();
    this.#grpc?.forceShutdown();
    this.#grpc = null;
    this.#http?.closeAllConnections();
    this.#http?.close();
    this.#http = null;
  }

  #of(signal: Signal): Received[] {
    return this.taken.filter((received) => received.signal === signal);
  }

  async #decide(signal: Signal): Promise<Reaction> {
    this.asked += 1;
    const reaction = this.react(signal, this.asked);
    if (reaction.afterMs !== undefined) {
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, reaction.afterMs);
        this.#closing.signal.addEventListener('abort', () => {
          clearTimeout(timer);
          resolve();
        });
      });
    }
    return reaction;
  }

  async #rpc(signal: Signal, call: ServerUnaryCall<Buffer, Buffer>, reply: sendUnaryData<Buffer>): Promise<void> {
    const { code, silent, rejected, retryAfterMs } = await this.#decide(signal);
    if (silent === true) return;
    if (code !== undefined) {
      reply({
        code,
        details: `as asked: ${status[code]}`,
        metadata: retryMetadata(code, retryAfterMs),
      } as StatusObject);
      return;
    }
    if (call.cancelled) return;
    this.taken.push({ signal, bytes: call.request, headers: call.metadata.getMap() });
    reply(null, response(rejected));
  }

  async #post(request: IncomingMessage, response_: ServerResponse): Promise<void> {
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part);
    const signal = request.url?.split('/').at(-1) as Signal; // the tests use the standard paths
    const { httpStatus, silent, rejected, retryAfterMs } = await this.#decide(signal);
    if (silent === true) return;
    if (httpStatus !== undefined) {
      const retry = retryAfterMs === undefined ? {} : { 'retry-after': String(Math.ceil(retryAfterMs / 1000)) };
      response_.writeHead(httpStatus, { 'content-type': 'application/x-protobuf', ...retry });
      response_.end(encode('RpcStatus', { message: `as asked: ${httpStatus}` }));
      return;
    }
    const body = Buffer.concat(parts);
    const bytes = request.headers['content-encoding'] === 'gzip' ? gunzipSync(body) : body;
    this.taken.push({ signal, bytes, headers: { ...request.headers, url: request.url } });
    response_.writeHead(200, { 'content-type': 'application/x-protobuf' });
    response_.end(response(rejected));
  }
}

function response(rejected: number | undefined): Buffer {
  return encode('Response', rejected === undefined ? {} : { partialSuccess: { rejected, errorMessage: 'too old' } });
}

function retryMetadata(code: number, retryAfterMs: number | undefined): Metadata {
  const metadata = new Metadata();
  if (retryAfterMs === undefined) return metadata;
  const seconds = Math.floor(retryAfterMs / 1000);
  const retryDelay = { seconds, nanos: (retryAfterMs - seconds * 1000) * 1e6 };
  const value = encode('RetryInfo', { retryDelay });
  const details = [
    {
      type_url: 'type.googleapis.com/google.rpc.RetryInfo',
      typeUrl: 'type.googleapis.com/google.rpc.RetryInfo',
      value,
    },
  ];
  metadata.set('grpc-status-details-bin', encode('RpcStatus', { code, message: 'wait', details }));
  return metadata;
}
