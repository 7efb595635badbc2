// Kubelet Pods API feed: from 1.37 on kubelet pushes each change of its pods over a socket that only root may use.

import { backOffMs } from '../../../helpers/back-off.ts';
import { bytesField } from '../../../helpers/proto-fields.ts';
import type { Feed, PodSink } from '../pod/feed.ts';
import type { Pod } from '../pod/pod.ts';
import { readPod } from '../pod/read-pod.ts';
import { wordAt } from '../pod/values.ts';
import { decode } from '../wire/decode.ts';
import { POD, WATCH_EVENT } from '../wire/shapes.ts';
import { KubeError, kubeError } from './kubelet-error.ts';
import { KubeletSocket, type SocketStream } from './kubelet-socket.ts';

const SERVICE = '/v1alpha1.Pods';
const ANSWER_MS = 2_000;
const FIRST_PAUSE_MS = 200;
const LONGEST_PAUSE_MS = 10_000;
/** More than kubelet runs on any node. */
const MOST_PODS = 1024;
const EVENT = { ADDED: 1, MODIFIED: 2, DELETED: 3, INITIAL_SYNC_COMPLETE: 4 } as const;
/** A name that no pod has: whether the service is there shows in how it is refused. */
const NO_POD = bytesField(1, '-');

export interface PodsApiOptions {
  readonly socket: string;
  readonly userLabels: readonly string[];
}

export class PodsApiFeed implements Feed {
  readonly name = 'kubelet Pods API';
  readonly needs = 'Kubernetes 1.37, the folder pods-api of the kubelet root, and user 0 or CAP_DAC_OVERRIDE';
  readonly notes: readonly string[] = [];
  trouble: KubeError | null = null;
  readonly #socket: KubeletSocket;
  readonly #userLabels: readonly string[];
  #sink: PodSink | null = null;
  #stream: SocketStream | null = null;
  #timer: NodeJS.Timeout | null = null;
  #failures = 0;
  /** Pods of the list that a new stream begins with; null once it is whole. */
  #initial: Map<string, Pod> | null = null;

  constructor({ socket, userLabels }: PodsApiOptions) {
    this.#socket = new KubeletSocket(socket);
    this.#userLabels = userLabels;
  }

  async probe(): Promise<void> {
    try {
      await this.#socket.call(`${SERVICE}/GetPod`, NO_POD, ANSWER_MS);
    } catch (error) {
      const { fault } = kubeError(error);
      // It answers: that there is no such pod, or that it is not yet ready.
      if (fault !== 'bad_reply' && fault !== 'starting' && fault !== 'busy') throw error;
    }
  }

  start(sink: PodSink): void {
    this.#sink = sink;
    void this.#connect();
  }

  /** The socket's folder changed, or something unknown runs: a stream that waits to be made again is made now. */
  hurry(): void {
    if (this.#timer === null || this.#sink === null) return;
    clearTimeout(this.#timer);
    this.#failures = 0;
    void this.#connect();
  }

  stop(): void {
    this.#sink = null;
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    this.#stream?.cancel();
    this.#stream = null;
    this.#socket.close();
  }

  async #connect(): Promise<void> {
    this.#timer = null;
    this.#initial = new Map();
    try {
      const stream = await this.#socket.watch(
        `${SERVICE}/WatchPods`,
        Buffer.alloc(0),
        (message) => this.#take(message),
        (why) => this.#ended(why),
      );
      if (this.#sink === null) stream.cancel();
      else this.#stream = stream;
    } catch (error) {
      this.#ended(kubeError(error));
    }
  }

  #take(message: Buffer): void {
    try {
      const { type, pod } = decode(message, WATCH_EVENT);
      if (type === EVENT.INITIAL_SYNC_COMPLETE) return void this.#whole();
      if (!Buffer.isBuffer(pod)) return;
      const raw = decode(pod, POD);
      if (type === EVENT.DELETED) return void this.#drop(wordAt(raw, 'metadata', 'uid'));
      const read = readPod(raw, this.#userLabels);
      if (read === null) return;
      if (this.#initial === null) this.#sink?.set(read);
      else if (this.#initial.size < MOST_PODS) this.#initial.set(read.uid, read);
    } catch (error) {
      // One message that cannot be read says nothing of the others; the list that a new stream begins with does.
      this.#stream?.cancel();
      this.#ended(new KubeError('bad_reply', `${this.#socket.path}: ${kubeError(error).message}`));
    }
  }

  #whole(): void {
    this.trouble = null;
    this.#failures = 0;
    if (this.#initial !== null) this.#sink?.replace([...this.#initial.values()]);
    this.#initial = null;
  }

  #drop(uid: string | null): void {
    if (uid === null) return;
    if (this.#initial === null) this.#sink?.drop(uid);
    else this.#initial.delete(uid);
  }

  /** What is known stays: the processes of its pods outlive kubelet. */
  #ended(why: KubeError): void {
    if (this.#sink === null) return;
    this.#stream = null;
    this.trouble = why;
    const pauseMs = backOffMs(FIRST_PAUSE_MS, this.#failures, LONGEST_PAUSE_MS);
    this.#failures += 1;
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.#connect(), pauseMs).unref();
  }
}
