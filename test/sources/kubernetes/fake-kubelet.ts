// Fake kubelet: both of its gRPC services on sockets in a folder, with the messages that the real one serves.

import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { Server, ServerCredentials, type ServerWritableStream, status } from '@grpc/grpc-js';
import { bytesField, varintField } from '../../../src/helpers/proto-fields.ts';

const asIs = (bytes: Buffer): Buffer => bytes;
const method = (path: string, streams: boolean) => ({
  path,
  requestStream: false,
  responseStream: streams,
  requestSerialize: asIs,
  requestDeserialize: asIs,
  responseSerialize: asIs,
  responseDeserialize: asIs,
});

const EVENT = { ADDED: 1, MODIFIED: 2, DELETED: 3, INITIAL_SYNC_COMPLETE: 4 } as const;
export type WatchType = keyof typeof EVENT;

export class FakeKubelet {
  readonly root: string;
  /** Answer of PodResources List. */
  list: Buffer = Buffer.alloc(0);
  /** Pods as bytes by uid: what a stream begins with. */
  readonly pods = new Map<string, Buffer>();
  /** The next calls end so. */
  refuses: status | null = null;
  lists = 0;
  watches = 0;
  #servers: Server[] = [];
  readonly #streams = new Set<ServerWritableStream<Buffer, Buffer>>();
  readonly #podsApi: boolean;

  constructor(root: string, { podsApi = true }: { readonly podsApi?: boolean } = {}) {
    this.root = root;
    this.#podsApi = podsApi;
  }

  async start(): Promise<void> {
    const resources = new Server({ 'grpc.max_send_message_length': -1 });
    resources.addService(
      { List: method('/v1.PodResourcesLister/List', false) },
      {
        List: (_: unknown, reply: (error: object | null, bytes?: Buffer) => void) => {
          this.lists += 1;
          if (this.refuses === null) reply(null, this.list);
          else reply({ code: this.refuses, details: 'refused' });
        },
      },
    );
    await this.#listen(resources, 'pod-resources', 'kubelet.sock');
    if (!this.#podsApi) return;
    const pods = new Server();
    pods.addService(
      { GetPod: method('/v1alpha1.Pods/GetPod', false), WatchPods: method('/v1alpha1.Pods/WatchPods', true) },
      {
        GetPod: (_: unknown, reply: (error: object) => void) =>
          reply({ code: status.NOT_FOUND, details: 'pod not found' }),
        WatchPods: (stream: ServerWritableStream<Buffer, Buffer>) => this.#watched(stream),
      },
    );
    await this.#listen(pods, 'pods-api', 'pods-api.sock');
  }

  /** To every stream, and to the list that the next begins with. */
  push(type: WatchType, uid: string, pod: Buffer): void {
    if (type === 'DELETED') this.pods.delete(uid);
    else this.pods.set(uid, pod);
    for (const stream of this.#streams) stream.write(message(type, pod));
  }

  /** Bytes as they are, to every stream. */
  raw(bytes: Buffer): void {
    for (const stream of this.#streams) stream.write(bytes);
  }

  /** Ends every stream, as kubelet does with a client that reads too slowly. */
  dropStreams(code: status): void {
    for (const stream of this.#streams) stream.emit('error', { code, details: 'dropped' });
    this.#streams.clear();
  }

  stop(): void {
    for (const server of this.#servers) server.forceShutdown();
    this.#servers = [];
    this.#streams.clear();
  }

  #watched(stream: ServerWritableStream<Buffer, Buffer>): void {
    this.watches += 1;
    if (this.refuses !== null) {
      stream.emit('error', { code: this.refuses, details: 'refused' });
      return;
    }
    for (const pod of this.pods.values()) stream.write(message('ADDED', pod));
    stream.write(message('INITIAL_SYNC_COMPLETE', null));
    this.#streams.add(stream);
    stream.on('cancelled', () => this.#streams.delete(stream));
  }

  async #listen(server: Server, folder: string, name: string): Promise<void> {
    mkdirSync(join(this.root, folder), { recursive: true });
    await new Promise<void>((resolve, reject) => {
      server.bindAsync(`unix:${join(this.root, folder, name)}`, ServerCredentials.createInsecure(), (error) =>
        error === null ? resolve() : reject(error),
      );
    });
    this.#servers.push(server);
  }
}

function message(type: WatchType, pod: Buffer | null): Buffer {
  return Buffer.concat([varintField(1, EVENT[type]), ...(pod === null ? [] : [bytesField(2, pod)])]);
}
