// Pod book: the pods of this node as a feed has them, with the devices that kubelet lists, handed to identity as facts.

import type { PodDevice, PodFact } from '../../../identity/work/facts.ts';
import type { Devices } from '../claims/claim.ts';
import type { PodSink } from './feed.ts';
import type { Pod } from './pod.ts';
import { podFact } from './pod-fact.ts';

const NO_DEVICES: ReadonlyMap<string, readonly PodDevice[]> = new Map();

/** Where facts go: identity's pods. */
export interface FactSink {
  set(fact: PodFact): void;
  drop(key: string): void;
  replace(facts: readonly PodFact[]): void;
}

export interface BookOptions {
  readonly facts: FactSink;
  readonly logs: string;
  readonly userLabels: readonly string[];
  /** Processes of the pod are still here, by its uid or its configuration's hash. */
  readonly hasProcesses: (group: string) => boolean;
  /** The pod is as `after` now; `before`: as it was, null where it is new. */
  readonly onChange: (before: Pod | null, after: Pod) => void;
}

export class PodBook implements PodSink {
  readonly #options: BookOptions;
  readonly #pods = new Map<string, Pod>();
  /** Pods that no list has any more and whose processes still run: a force-deleted one may hold its GPU for long. */
  readonly #left = new Map<string, Pod>();
  /** Uids and hashes of all of them. */
  readonly #groups = new Set<string>();
  #given: Devices<PodDevice> = new Map();
  /** Namespace/pod → uid, for pods that only the list of devices has. */
  #uids: ReadonlyMap<string, string> = new Map();
  #knownBy = '';
  /** Null until it is known whether anything feeds it. */
  #complete: boolean | null = null;

  constructor(options: BookOptions) {
    this.#options = options;
  }

  get size(): number {
    return this.#pods.size;
  }

  get left(): number {
    return this.#left.size;
  }

  get pods(): Iterable<Pod> {
    return this.#pods.values();
  }

  /** Whether a group of this uid or hash is known. Asked of each process, often. */
  knows(group: string): boolean {
    return this.#groups.has(group);
  }

  hasDevices({ namespace, name }: Pod): boolean {
    const containers = this.#given.get(`${namespace}/${name}`);
    return containers !== undefined && [...containers.values()].some((devices) => devices.length > 0);
  }

  /** Containers with devices. */
  get containersWithDevices(): number {
    let count = 0;
    for (const containers of this.#given.values())
      for (const devices of containers.values()) if (devices.length > 0) count += 1;
    return count;
  }

  /** What feeds it from now on; null: nothing does, and the pods are those of the list of devices. */
  fedBy(name: string | null): void {
    this.#knownBy = name ?? 'PodResources';
    this.#complete = name !== null;
    if (name === null) this.#pods.clear();
    this.#publish();
  }

  replace(pods: readonly Pod[]): void {
    const now = new Map(pods.map((pod) => [pod.uid, pod]));
    for (const uid of [...this.#pods.keys()]) if (!now.has(uid)) this.#forget(uid);
    for (const pod of now.values()) this.#take(pod);
    this.#publish();
  }

  set(pod: Pod): void {
    this.#take(pod);
    this.#options.facts.set(this.#fact(pod));
  }

  drop(uid: string): void {
    this.#forget(uid);
    this.#publish();
  }

  /** kubelet's list of what it gave; `uids` of those pods as far as another file of kubelet's has them. */
  gave(given: Devices<PodDevice>, uids: ReadonlyMap<string, string>): void {
    this.#given = given;
    this.#uids = uids;
    this.#publish();
  }

  /** Lets go of pods whose processes have ended as well. */
  settle(): void {
    const { size } = this.#left;
    for (const [uid, pod] of this.#left) if (!this.#hasProcesses(pod)) this.#left.delete(uid);
    if (this.#left.size !== size) this.#publish();
  }

  #take(pod: Pod): void {
    const before = this.#pods.get(pod.uid) ?? null;
    this.#pods.set(pod.uid, pod);
    this.#left.delete(pod.uid);
    this.#learn(pod);
    this.#options.onChange(before, pod);
  }

  #forget(uid: string): void {
    const pod = this.#pods.get(uid);
    this.#pods.delete(uid);
    if (pod !== undefined && this.#hasProcesses(pod)) this.#left.set(uid, pod);
  }

  #hasProcesses({ uid, configHash }: Pod): boolean {
    const { hasProcesses } = this.#options;
    return hasProcesses(uid) || (configHash !== null && hasProcesses(configHash));
  }

  #learn({ uid, configHash }: Pod): void {
    this.#groups.add(uid);
    if (configHash !== null) this.#groups.add(configHash);
  }

  #publish(): void {
    this.#groups.clear();
    for (const pod of [...this.#pods.values(), ...this.#left.values()]) this.#learn(pod);
    for (const uid of this.#uids.values()) this.#groups.add(uid);
    const known = [...this.#pods.values(), ...this.#left.values()].map((pod) => this.#fact(pod));
    this.#options.facts.replace(this.#complete === false ? [...known, ...this.#ofDevicesAlone()] : known);
  }

  #fact(pod: Pod): PodFact {
    const { logs, userLabels } = this.#options;
    const isLeft = this.#left.has(pod.uid);
    const devices = isLeft ? NO_DEVICES : (this.#given.get(`${pod.namespace}/${pod.name}`) ?? NO_DEVICES);
    return podFact(pod, { devices, logs, userLabels, knownBy: this.#knownBy });
  }

  #ofDevicesAlone(): PodFact[] {
    const found: PodFact[] = [];
    for (const [name, containers] of this.#given) {
      if (![...containers.values()].some((devices) => devices.length > 0)) continue;
      const [namespace = '', pod = ''] = name.split('/');
      found.push({
        uid: this.#uids.get(name) ?? null,
        configHash: null,
        namespace,
        name: pod,
        phase: null,
        owner: null,
        queue: null,
        user: null,
        attempt: null,
        batchJob: null,
        containers: [...containers].map(([container, devices]) => ({
          name: container,
          id: null,
          variables: {},
          devices,
          log: null,
        })),
        startedMs: null,
        knownBy: 'PodResources',
      });
    }
    return found;
  }
}
