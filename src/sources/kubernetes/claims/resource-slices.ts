// Resource slices: what drivers of claims publish of this node's devices, their UUIDs among it. Asked only where no file of the
// node has a device that was given.

import { HttpClient, JSON_TYPE, type Peer } from '../api/http-client.ts';
import { type KubeError, kubeError } from '../kubelet/kubelet-error.ts';
import { at, listAt, wordAt } from '../pod/values.ts';

/** GA in 1.34; before it the shape was another one. */
const VERSIONS = ['v1', 'v1beta2', 'v1beta1'] as const;
const ANSWER_MS = 10_000;
/** Devices come and go with the driver's start, and seldom else. */
const AGAIN_MS = 60_000;
const MOST_DEVICES = 8192;

export class ResourceSlices {
  readonly #client: HttpClient;
  readonly #node: string;
  #names: ReadonlyMap<string, readonly string[]> = new Map();
  #dueMs = 0;
  /** Why they are not known; null where they are, or were not asked for. */
  error: KubeError | null = null;

  constructor(peer: Peer, node: string) {
    this.#client = new HttpClient(peer);
    this.#node = node;
  }

  /** UUID and PCI address of a device, as far as its driver publishes them. */
  namesOf(driver: string, pool: string, device: string): readonly string[] {
    return this.#names.get(keyOf(driver, pool, device)) ?? [];
  }

  /** True where something was learned. Never rejects. */
  async ask(nowMs: number): Promise<boolean> {
    if (nowMs < this.#dueMs) return false;
    this.#dueMs = nowMs + AGAIN_MS;
    for (const version of VERSIONS) {
      try {
        const path = `/apis/resource.k8s.io/${version}/resourceslices?fieldSelector=${encodeURIComponent(`spec.nodeName=${this.#node}`)}`;
        const reply: unknown = JSON.parse(await this.#client.get(path, JSON_TYPE, ANSWER_MS));
        this.#names = namesIn(reply);
        this.error = null;
        return this.#names.size > 0;
      } catch (error) {
        this.error = kubeError(error);
        if (this.error.fault !== 'not_served') return false;
      }
    }
    return false;
  }

  close(): void {
    this.#client.close();
  }
}

function namesIn(reply: unknown): Map<string, readonly string[]> {
  const found = new Map<string, readonly string[]>();
  for (const slice of listAt(reply, 'items')) {
    const [driver, pool] = [wordAt(slice, 'spec', 'driver'), wordAt(slice, 'spec', 'pool', 'name')];
    if (driver === null || pool === null) continue;
    for (const device of listAt(slice, 'spec', 'devices')) {
      const name = wordAt(device, 'name');
      if (name === null || found.size >= MOST_DEVICES) continue;
      const attributes = at(device, 'attributes') ?? at(device, 'basic', 'attributes');
      const names = ['uuid', 'resource.kubernetes.io/pciBusID'].flatMap(
        (key) => wordAt(attributes, key, 'string') ?? [],
      );
      if (names.length > 0) found.set(keyOf(driver, pool, name), names);
    }
  }
  return found;
}

const keyOf = (driver: string, pool: string, device: string): string => [driver, pool, device].join('\n');
