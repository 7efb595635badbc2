// Kubernetes source: climbs the ladder to this node's pods, lists their devices, and reports what happens to them.

import { existsSync, type FSWatcher, watch } from 'node:fs';
import { join } from 'node:path';
import type { Identity } from '../../identity/identity.ts';
import type { Component } from '../../model/component.ts';
import type { Trust } from '../../model/event.ts';
import type { Emit } from '../../model/record.ts';
import type { SourceLogger } from '../context.ts';
import { type DeclaredPlan, DeclaredPlans } from '../declared-plans.ts';
import type { Source, SourceCounts, SourceHealth } from '../source.ts';
import type { ClaimNames } from './claims/claim-names.ts';
import { type EventPlace, emptiedEvent, jobOf, nodeEvent, podEvent, SOURCE } from './events/kubernetes-event.ts';
import type { NodePlan } from './events/node-marks.ts';
import { type PodChange, podChanges } from './events/pod-changes.ts';
import { claimNames, feedsOf, type MissingStep, peerOf } from './feeds.ts';
import { uidsOf } from './files/checkpoint.ts';
import { type FoundRoot, findRoot } from './find-root.ts';
import { healthOf } from './health.ts';
import type { DeviceList } from './kubelet/device-list.ts';
import type { GivenDevices } from './kubelet/given-devices.ts';
import type { NodeWatch } from './node-watch.ts';
import { Ladder } from './pod/ladder.ts';
import type { Pod } from './pod/pod.ts';
import { PodBook } from './pod/pod-book.ts';
import type { KubernetesSettings } from './settings.ts';

/** Where kubelet may come to be, as when it is installed. */
const FIND_MS = 60_000;
/** Unknown groups are looked for so often; each is a reason to ask once. */
const UNKNOWN_MS = 1_000;
const MOST_ASKED = 4096;
const OVER: ReadonlySet<string> = new Set(['Succeeded', 'Failed']);
const SOCKET_FOLDERS = ['pod-resources', 'pods-api'] as const;

export interface KubernetesOptions {
  readonly host: string;
  readonly proc: string;
  /** Epoch ms on the steady clock. */
  readonly now: () => number;
  readonly identity: Identity;
  readonly logger: SourceLogger;
  /** False for a look of a moment. */
  readonly lasting: boolean;
}

export class KubernetesSource implements Source {
  readonly name = SOURCE;
  readonly #settings: KubernetesSettings;
  readonly #options: KubernetesOptions;
  readonly #book: PodBook;
  #emit: Emit | null = null;
  #timers: NodeJS.Timeout[] = [];
  readonly #watchers = new Map<string, FSWatcher>();
  #signal: AbortSignal | null = null;
  #root: FoundRoot | null = null;
  #ladder: Ladder | null = null;
  #missing: readonly MissingStep[] = [];
  #devices: DeviceList | null = null;
  #claims: ClaimNames | null = null;
  /** The last list, as kubelet gave it. */
  #given: GivenDevices = new Map();
  #lists = 0;
  #node: NodeWatch | null = null;
  #looked = false;
  #looking = false;
  /** A socket may have come or gone since the last look began. */
  #folderChanged = false;
  #lookedMs = 0;
  /** Groups that were unknown and asked for. */
  readonly #asked = new Set<string>();
  #events = 0;
  readonly #plans: DeclaredPlans;
  /** Of a node out of service: whether work was on it; null while it is in service. */
  #hadWork: boolean | null = null;
  #seconds = 0;

  constructor(settings: KubernetesSettings, options: KubernetesOptions) {
    this.#settings = settings;
    this.#options = options;
    const { work } = options.identity;
    this.#plans = new DeclaredPlans(SOURCE, options.now, () => this.#emit);
    this.#book = new PodBook({
      facts: work.pods,
      logs: settings.podLogs,
      userLabels: settings.userLabels,
      hasProcesses: (group) => work.processes.some(({ place }) => place.pod === group),
      onChange: (before, after) => this.#changed(before, after),
    });
  }

  start(emit: Emit, signal: AbortSignal): void {
    this.#emit = emit;
    this.#signal = signal;
    signal.addEventListener('abort', () => void this.stop(), { once: true });
    void this.#find();
  }

  health(): readonly SourceHealth[] {
    return [
      healthOf({
        settings: this.#settings,
        looked: this.#looked,
        root: this.#root,
        ladder: this.#ladder,
        missing: this.#missing,
        devices: this.#devices,
        claims: this.#claims,
        node: this.#node,
        book: this.#book,
      }),
    ];
  }

  counts(): readonly SourceCounts[] {
    return [{ source: SOURCE, reads: this.#devices?.reads ?? 0, readSeconds: this.#seconds }];
  }

  async stop(): Promise<void> {
    this.#emit = null;
    for (const timer of this.#timers) clearInterval(timer);
    for (const watcher of this.#watchers.values()) watcher.close();
    this.#watchers.clear();
    this.#timers = [];
    this.#plans.stop();
    this.#ladder?.stop();
    this.#devices?.close();
    this.#claims?.close();
    this.#node?.stop();
    // Switched off in a daemon that continues: what nothing keeps up to date is not known. At its end the last events still need it.
    if (this.#signal?.aborted === false) this.#options.identity.work.pods.replace([]);
  }

  /** Until there is something to read: a kubelet, or an API that says what it runs. */
  async #find(): Promise<void> {
    const { kubeletRoot, apiServer, kubelet, tokenFile } = this.#settings;
    this.#root = await findRoot(this.#options.proc, kubeletRoot === null ? undefined : [kubeletRoot]);
    const asks = tokenFile !== null && (apiServer !== null || kubelet !== null);
    const begins = this.#emit !== null && (this.#root !== null || asks);
    if (begins) await this.#begin();
    this.#looked = true;
    if (begins || this.#emit === null || !this.#options.lasting) return;
    this.#timers = [setTimeout(() => void this.#find(), FIND_MS).unref()];
  }

  async #begin(): Promise<void> {
    const root = this.#root?.path ?? null;
    const { feeds, missing } = await feedsOf(this.#settings, root);
    this.#missing = missing;
    this.#ladder = new Ladder(feeds, this.#book, (name) => this.#book.fedBy(name));
    if (root !== null) {
      const { DeviceList } = await import('./kubelet/device-list.ts');
      this.#claims = await claimNames(this.#settings, this.#options.proc);
      this.#devices = new DeviceList(join(root, 'pod-resources', 'kubelet.sock'), (given) => this.#gave(given));
    }
    await this.#watchNode();
    if (this.#emit === null) return void this.stop();
    await this.#look();
    if (this.#emit === null) return;
    this.#timers = [
      setInterval(() => void this.#look(), this.#settings.intervalMs).unref(),
      setInterval(() => this.#unknown(), UNKNOWN_MS).unref(),
    ];
  }

  async #watchNode(): Promise<void> {
    const { apiServer, tokenFile, node } = this.#settings;
    if (apiServer === null || tokenFile === null) return;
    const { NodeWatch } = await import('./node-watch.ts');
    this.#node = new NodeWatch({
      peer: peerOf(apiServer, tokenFile, null),
      node,
      onChange: (change, first) => this.#emit?.event(nodeEvent(change, node, first, this.#place())),
      onPlans: (plans) => this.#plans.set(plans.map((plan) => this.#declared(plan))),
      onTrouble: (pod, trouble) => {
        const reason = trouble?.reason ?? 'started';
        const { message = null, atMs = null } = trouble ?? {};
        const state = trouble === null ? 'clear' : 'onset';
        // An Event of its namespace may be written by whoever has that right there.
        this.#report({ kind: 'pod.start_failed', state, reason, message, container: null, device: null, exitCode: null, atMs }, pod, false, 'tenant'); // biome-ignore format: one call
      },
    });
  }

  /** Its begin is when it was first seen: marks have no time that can be relied on. */
  #declared({ key, as, value }: NodePlan): DeclaredPlan {
    const { host, now } = this.#options;
    const note = value === null || value === '' ? as : `${as} (${value})`;
    return { key, component: { type: 'host', id: host }, by: key.split('/', 1)[0] ?? key, note, fromMs: now(), untilMs: null }; // biome-ignore format: one record
  }

  /** The last work leaves a node that is out of service: once for each time that it is. */
  #emptied(): void {
    if (this.#node?.isOutOfService !== true) {
      this.#hadWork = null;
      return;
    }
    const { identity } = this.#options;
    const works = [...this.#book.pods].some((pod) => !OVER.has(pod.phase ?? '') && jobOf(pod, identity, this.#book.hasDevices(pod)) !== null); // biome-ignore format: one call
    const had = this.#hadWork;
    this.#hadWork = works;
    // Nothing is known of pods where no step of the ladder works.
    if (works || had === false || this.#ladder?.taken == null) return;
    this.#emit?.event(emptiedEvent(this.#settings.node, this.#place()));
  }

  /** kubelet makes its sockets again when it starts. */
  #watchFolder(folder: string): void {
    if (this.#watchers.has(folder)) return;
    try {
      const watcher = watch(folder, { persistent: false }, () => {
        this.#ladder?.taken?.hurry();
        void this.#look(true);
      });
      const forget = (): void => {
        watcher.close();
        this.#watchers.delete(folder);
      };
      watcher.on('error', forget);
      watcher.on('change', (type) => {
        // The folder itself went away.
        if (type === 'rename' && !existsSync(folder)) forget();
      });
      this.#watchers.set(folder, watcher);
      // What came before the watch is seen by the look that follows.
      this.#folderChanged = true;
    } catch {} // it is not there yet
  }

  async #look(changed = false): Promise<void> {
    this.#folderChanged ||= changed;
    if (this.#looking || this.#emit === null) return;
    this.#looking = true;
    const started = performance.now();
    const nowMs = this.#options.now();
    const root = this.#root;
    if (root !== null) for (const folder of SOCKET_FOLDERS) this.#watchFolder(join(root.path, folder));
    try {
      const isNews = this.#folderChanged;
      this.#folderChanged = false;
      if (isNews) this.#devices?.retry();
      await Promise.all([
        this.#ladder?.climb(nowMs, isNews && this.#ladder.taken === null),
        this.#devices?.ask(nowMs),
        this.#node?.look(this.#book.pods, nowMs),
      ]);
      this.#book.settle();
      this.#emptied();
      void this.#askOfClaims(nowMs);
    } catch (error) {
      this.#emit?.failed?.(error);
    } finally {
      this.#seconds += (performance.now() - started) / 1000;
      this.#looking = false;
      this.#lookedMs = nowMs;
    }
    if (this.#folderChanged) void this.#look();
  }

  /** A process in a pod that no list has yet: all of them are asked at once, and once for each. */
  #unknown(): void {
    let found = false;
    for (const { place } of this.#options.identity.work.processes.each()) {
      if (place.pod === null || this.#asked.has(place.pod) || this.#book.knows(place.pod)) continue;
      if (this.#asked.size >= MOST_ASKED) this.#asked.clear();
      this.#asked.add(place.pod);
      found = true;
    }
    if (!found) return;
    this.#ladder?.taken?.hurry();
    void this.#look();
  }

  async #gave(given: GivenDevices): Promise<void> {
    this.#given = given;
    this.#lists += 1;
    const list = this.#lists;
    const named = (await this.#claims?.named(given)) ?? given;
    const alone = this.#ladder?.taken == null && this.#root !== null;
    const uids = alone ? await uidsOf(this.#root?.path ?? '', given) : new Map<string, string>();
    // A later list was faster.
    if (list === this.#lists) this.#book.gave(named, uids);
  }

  async #askOfClaims(nowMs: number): Promise<void> {
    if ((await this.#claims?.ask(nowMs)) === true) await this.#gave(this.#given);
  }

  #changed(before: Pod | null, after: Pod): void {
    for (const change of podChanges(before, after)) this.#report(change, after, before === null);
  }

  #report(change: PodChange, pod: Pod, first: boolean, trust?: Trust): void {
    const job: Component | null = jobOf(pod, this.#options.identity, this.#book.hasDevices(pod));
    const event = job === null ? null : podEvent(change, pod, job, first, this.#place(), trust);
    if (event === null) return;
    this.#events += 1;
    this.#emit?.event(event);
  }

  #place(): EventPlace {
    const { host, identity, now } = this.#options;
    const nowMs = now();
    return { host, identity, nowMs, lastMs: Math.min(nowMs, this.#lookedMs === 0 ? nowMs : this.#lookedMs) };
  }
}
