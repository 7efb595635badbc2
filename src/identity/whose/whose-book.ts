// Whose book: for which jobs a device or process worked at a time, now or a moment ago: a job may be gone when its fault is read.

import { remember } from '../../helpers/remember.ts';
import type { Component } from '../../model/component.ts';
import type { EventInput } from '../../model/record.ts';
import { joinWhose, type Whose, withDevices } from '../../model/whose.ts';
import { groupPlace } from '../work/group-place.ts';
import type { WorkView } from '../work/work.ts';
import { HOST_KEY, type WhoseNow, type WhoseOf, whoseKeys, whoseNow } from './whose-now.ts';

/** Of a use that ended; a fault is read this long after it happened at the latest, but for the longest time-outs. */
const KEPT_MS = 1_800_000;
const KEPT_EACH = 4;
const MOST_KEYS = 8192;
/** The end of a job is seen within this time, and so is its start. */
const SEEN_WITHIN_MS = 10_000;

/** Two that follow each other with the same text are one. */
interface Use extends WhoseOf {
  readonly fromMs: number;
  toMs: number | null;
}

type Asked = Pick<EventInput, 'trust' | 'attributes' | 'timeMs' | 'interval'> & {
  readonly component: Component | null;
};

export class WhoseBook {
  readonly #view: () => WorkView;
  readonly #now: () => number;
  /** By key of `whoseNow`, oldest use first. */
  readonly #uses = new Map<string, Use[]>();
  /** `gpu_instance/<gpu>/*` → the instances of it that were ever used. */
  readonly #instancesOf = new Map<string, Set<string>>();
  #version: number | null = null;

  /** `view`: the work as it is now; the same object while nothing changed. */
  constructor(view: () => WorkView, now: () => number) {
    this.#view = view;
    this.#now = now;
  }

  /** The jobs that an event hit, as of its own time; empty where none is known. */
  of(event: Asked): readonly Whose[] {
    this.saw(this.#view());
    if (this.#uses.size === 0) return [];
    const { earliestMs, latestMs } = event.interval ?? { earliestMs: event.timeMs, latestMs: event.timeMs };
    const during = (key: string): readonly Whose[] => this.#during(key, earliestMs, latestMs);
    const pid = trustedPid(event);
    const byProcess = pid === null ? [] : during(`process/${pid}`);
    const keys = event.component === null ? [] : whoseKeys(event.component);
    const found = keys.flatMap((key) => (key.endsWith('/*') ? this.#instances(key, during) : during(key)));
    // The process decides which of those that share a device it was; it cannot take the device to another job.
    const closer = byProcess.filter(({ job }) => keys.includes(HOST_KEY) || found.some((one) => one.job === job));
    const nearest = closer.length > 0 ? closer : found;
    return joinWhose(nearest.length > 0 ? nearest : groupKeys(event).flatMap(during));
  }

  #instances(key: string, during: (key: string) => readonly Whose[]): readonly Whose[] {
    return [...(this.#instancesOf.get(key) ?? [])].flatMap(during);
  }

  #during(key: string, earliestMs: number, latestMs: number): readonly Whose[] {
    const uses = this.#uses.get(key) ?? [];
    const within = (slackMs: number) =>
      uses.filter(({ fromMs, toMs }) => fromMs - slackMs <= latestMs && (toMs ?? Infinity) + slackMs >= earliestMs);
    const exact = within(0);
    const found = exact.length > 0 ? exact : within(SEEN_WITHIN_MS).slice(-1);
    return found.flatMap((use) =>
      use.whose.map((one) => this.#asKnownNow(withRanks(one, uses.slice(uses.indexOf(use) + 1)))),
    );
  }

  /** What is known of a job grows after it began: its user, its queue, its name. What it had then stays. */
  #asKnownNow(one: Whose): Whose {
    const { pods, ranks, devices, by } = one;
    const newest = one.job === null ? undefined : this.#uses.get(`job/${one.job}`)?.at(-1)?.whose[0];
    return newest === undefined || newest.job !== one.job
      ? one
      : withTheirs(newest, { pods, ranks, by, devices: devices ?? [] });
  }

  /** Takes up what changed: to be called with every view that is made, for a job may come and go between two events. */
  saw(view: WorkView): void {
    if (view.version === this.#version) return;
    this.#version = view.version;
    const now = whoseNow(view);
    if (now.size === 0 && this.#uses.size === 0) return;
    const nowMs = this.#now();
    const started = new Map(view.works.map(({ id, startedMs }) => [id, startedMs]));
    for (const [key, uses] of this.#uses) this.#end(key, uses, now, nowMs);
    for (const [key, { whose, text }] of now) {
      const uses = this.#uses.get(key) ?? [];
      if (uses.at(-1)?.toMs === null || this.#uses.size >= MOST_KEYS) continue;
      const fromMs = Math.max(Math.min(startOf(whose, started) ?? nowMs, nowMs), uses.at(-1)?.toMs ?? -Infinity);
      uses.push({ whose, text, fromMs, toMs: null });
      if (uses.length > KEPT_EACH) uses.shift();
      this.#uses.set(key, uses);
      if (key.startsWith('gpu_instance/')) this.#instance(key);
    }
  }

  #instance(key: string): void {
    const all = `${key.slice(0, key.lastIndexOf('/'))}/*`;
    const known = this.#instancesOf.get(all) ?? new Set();
    known.add(key);
    remember(this.#instancesOf, all, known, MOST_KEYS);
  }

  #end(key: string, uses: Use[], now: WhoseNow, nowMs: number): void {
    const last = uses.at(-1);
    if (last?.toMs === null && now.get(key)?.text !== last.text) last.toMs = nowMs;
    if (uses.every(({ toMs }) => toMs === null || toMs > nowMs - KEPT_MS)) return;
    const kept = uses.filter(({ toMs }) => toMs === null || toMs > nowMs - KEPT_MS);
    if (kept.length === 0) this.#uses.delete(key);
    else if (kept.length < uses.length) this.#uses.set(key, kept);
  }
}

/** Which ranks have a device is known some seconds after the job that has it. */
function withRanks(one: Whose, later: readonly Use[]): Whose {
  if (one.job === null || one.ranks.length > 0) return one;
  const known = later.flatMap(({ whose }) => whose).find(({ job, ranks }) => job === one.job && ranks.length > 0);
  return known === undefined ? one : { ...one, ranks: known.ranks };
}

function withTheirs(newest: Whose, { devices, ...had }: Pick<Whose, 'pods' | 'ranks' | 'devices' | 'by'>): Whose {
  const { devices: _now, ...job } = newest;
  return { ...job, ...had, ...withDevices(devices ?? []) };
}

/** What is seen for the first time began with its job, as far as that is known: a log that is read late reaches back. */
function startOf(whose: readonly Whose[], started: ReadonlyMap<string, number | null>): number | null {
  const times = whose.flatMap(({ job }) => (job === null ? [] : (started.get(job) ?? [])));
  return times.length === 0 ? null : Math.min(...times);
}

/** The pid that the kernel or the driver names; what a tenant says of pids does not count. */
function trustedPid({ trust, attributes }: Asked): number | null {
  const pid = trust === 'kernel' || trust === 'driver' ? attributes?.pid : undefined;
  return typeof pid === 'number' ? pid : null;
}

/** A process that no look at the host has seen, by the control group that the kernel names; users may name those of their own slice. */
function groupKeys({ trust, component, attributes }: Asked): readonly string[] {
  const memcg = attributes?.memcg;
  if (trust !== 'kernel' || component?.type !== 'process' || typeof memcg !== 'string') return [];
  if (memcg.startsWith('/user.slice/')) return [];
  const { pod, batch } = groupPlace(`0::${memcg}`);
  return [...(batch?.job == null ? [] : [`job/${batch.job}`]), ...(pod === null ? [] : [`pod/${pod}`])];
}
