// A unix socket of kubelet: gRPC calls with their bytes as they are. The library is loaded with this file.

import { access, constants } from 'node:fs/promises';
import {
  ChannelCredentials,
  Client,
  type ClientReadableStream,
  Metadata,
  type ServiceError,
  status,
} from '@grpc/grpc-js';
import { errorCode } from '../../../helpers/error-code.ts';
import { KubeError, type KubeFault } from './kubelet-error.ts';

/** The library's own limit is 4 MiB, which the list of devices of a full node passes. */
const MOST_REPLY = 64 * 1024 * 1024;
const asIs = (bytes: Buffer): Buffer => bytes;

export interface SocketStream {
  cancel(): void;
}

export class KubeletSocket {
  readonly path: string;
  #client: Client | null = null;

  constructor(path: string) {
    this.path = path;
  }

  /** Rejects with `KubeError`. */
  async call(method: string, request: Buffer, timeoutMs: number): Promise<Buffer> {
    await this.#check();
    const client = this.#connected();
    return new Promise((resolve, reject) => {
      const options = { deadline: Date.now() + timeoutMs };
      client.makeUnaryRequest(method, asIs, asIs, request, new Metadata(), options, (error, reply) => {
        if (error === null && reply !== undefined) resolve(reply);
        else reject(this.#explained(error));
      });
    });
  }

  /** Each message as it comes; `onEnd` once, after the last. Rejects with `KubeError` where there is no socket. */
  async watch(
    method: string,
    request: Buffer,
    onMessage: (message: Buffer) => void,
    onEnd: (why: KubeError) => void,
  ): Promise<SocketStream> {
    await this.#check();
    const stream: ClientReadableStream<Buffer> = this.#connected().makeServerStreamRequest(method, asIs, asIs, request);
    let ended = false;
    const end = (why: KubeError): void => {
      if (ended) return;
      ended = true;
      onEnd(why);
    };
    stream.on('data', (message: Buffer) => {
      if (!ended) onMessage(message);
    });
    stream.on('error', (error: ServiceError) => end(this.#explained(error)));
    stream.on('end', () => end(new KubeError('down', `${this.path}: kubelet ended the stream`)));
    return {
      cancel(): void {
        ended = true;
        stream.cancel();
      },
    };
  }

  close(): void {
    this.#client?.close();
    this.#client = null;
  }

  #connected(): Client {
    this.#client ??= new Client(`unix:${this.path}`, ChannelCredentials.createInsecure(), {
      // kubelet makes the socket again at its start: an old connection must not come back out of a shared pool.
      'grpc.use_local_subchannel_pool': 1,
      'grpc.enable_retries': 0,
      'grpc.initial_reconnect_backoff_ms': 100,
      'grpc.max_reconnect_backoff_ms': 1_000,
      'grpc.max_receive_message_length': MOST_REPLY,
      'grpc.default_authority': 'localhost',
    });
    return this.#client;
  }

  /** The library only says that no connection could be made. */
  async #check(): Promise<void> {
    try {
      await access(this.path, constants.W_OK);
    } catch (error) {
      this.close();
      const code = errorCode(error) ?? 'unknown';
      const denied = code === 'EACCES' || code === 'EPERM';
      throw new KubeError(
        denied ? 'denied' : 'absent',
        `${this.path}: ${denied ? 'permission denied' : 'not there'} (${code})`,
      );
    }
  }

  #explained(error: ServiceError | null): KubeError {
    const { code = status.UNKNOWN, details = 'no answer' } = error ?? {};
    const fault = faultOf(code, details);
    // The next call connects again, to whatever listens there by then.
    if (fault === 'down' || fault === 'timeout') this.close();
    return new KubeError(fault, `${this.path}: ${status[code]}: ${details.slice(0, 200)}`);
  }
}

function faultOf(code: status, details: string): KubeFault {
  switch (code) {
    case status.UNAVAILABLE:
    case status.CANCELLED:
      return 'down';
    case status.DEADLINE_EXCEEDED:
      return 'timeout';
    case status.UNIMPLEMENTED:
      return 'not_served';
    case status.FAILED_PRECONDITION:
      return 'starting';
    // The same status for too many callers, and from our own side for too long a reply.
    case status.RESOURCE_EXHAUSTED:
      return /larger than max/.test(details) ? 'too_large' : 'busy';
    case status.PERMISSION_DENIED:
    case status.UNAUTHENTICATED:
      return 'denied';
    default:
      return 'bad_reply';
  }
}
