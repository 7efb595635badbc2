// Device list: asks kubelet every few seconds, and at once when there is reason to, which devices each container was given.

import { Buffer } from 'node:buffer';
import { backOffMs } from '../../../helpers/back-off.ts';
import { type GivenDevices, givenDevices } from './given-devices.ts';
import { type KubeError, kubeError } from './kubelet-error.ts';
import { KubeletSocket } from './kubelet-socket.ts';

const LIST = '/v1.PodResourcesLister/List';
const ANSWER_MS = 5_000;
const NOTHING = Buffer.alloc(0);
/** All callers of kubelet share ten answers at once. */
const BUSY_MS = 1_000;
const LONGEST_MS = 60_000;
/** A list is not decoded again for this many times as long as it kept the thread. */
const REST_SHARE = 100;

export class DeviceList {
  readonly #socket: KubeletSocket;
  readonly #onList: (given: GivenDevices) => Promise<void>;
  #last: Buffer | null = null;
  #failures = 0;
  #dueMs = 0;
  #asking: Promise<void> | null = null;
  error: KubeError | null = null;
  /** Answers so far. */
  reads = 0;
  /** Length of the last answer, bytes. */
  bytes = 0;

  constructor(path: string, onList: (given: GivenDevices) => Promise<void>) {
    this.#socket = new KubeletSocket(path);
    this.#onList = onList;
  }

  get works(): boolean {
    return this.error === null && this.reads > 0;
  }

  /** Asks now where it may. Never rejects; one call at a time. */
  ask(nowMs: number): Promise<void> {
    if (nowMs < this.#dueMs) return Promise.resolve();
    this.#asking ??= this.#ask(nowMs).finally(() => {
      this.#asking = null;
    });
    return this.#asking;
  }

  /** kubelet started again, or may have: there is no reason to wait. */
  retry(): void {
    this.#failures = 0;
    this.#dueMs = 0;
  }

  close(): void {
    this.#socket.close();
  }

  async #ask(nowMs: number): Promise<void> {
    try {
      const reply = await this.#socket.call(LIST, NOTHING, ANSWER_MS);
      this.reads += 1;
      this.bytes = reply.length;
      this.error = null;
      this.#failures = 0;
      // The same bytes say the same: a long list is decoded once.
      if (this.#last?.equals(reply) === true) return;
      const before = process.threadCpuUsage();
      const given = givenDevices(reply);
      const { user, system } = process.threadCpuUsage(before);
      this.#dueMs = nowMs + (REST_SHARE * (user + system)) / 1000;
      this.#last = reply;
      await this.#onList(given);
    } catch (error) {
      this.error = kubeError(error);
      this.#failures += 1;
      const firstMs = this.error.fault === 'absent' || this.error.fault === 'denied' ? 5_000 : BUSY_MS;
      this.#dueMs = nowMs + backOffMs(firstMs, this.#failures - 1, LONGEST_MS);
    }
  }
}
