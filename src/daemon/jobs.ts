// Jobs of this host as documents: whose they are, what they have and how that is known; and who has each device.

import type { LineCount } from '../detection/text/understood.ts';
import type { Identity } from '../identity/identity.ts';
import type { DeviceUse, Work, WorkPod } from '../identity/work/work.ts';
import { computedTime } from '../model/documents/fields.ts';
import {
  DEVICES_SCHEMA,
  type DeviceDocument,
  type DevicesDocument,
  type DeviceUseDocument,
  JOBS_SCHEMA,
  type JobDocument,
  type JobsDocument,
  type Known,
  type LackingDocument,
  type PodDocument,
} from '../model/documents/jobs.ts';
import type { NativeCore } from '../native.ts';
import type { SourceHealth } from '../sources/source.ts';
import { jobFramework } from './job-framework.ts';

/** Sources that say whose work is here, in the order in which they are asked. */
export const SOURCES_OF_WORK: readonly string[] = ['processes', 'kubernetes', 'slurm', 'gpu', 'nic', 'job-log'];

export interface JobsParts {
  readonly host: string;
  readonly now: () => number;
  readonly identity: Pick<Identity, 'work' | 'gpus' | 'nics'>;
  readonly core: Pick<NativeCore, 'history'>;
  readonly health: () => readonly SourceHealth[];
  /** What came of the lines of a job's log; left out: nothing of them is known. */
  readonly linesOf?: (job: string) => Readonly<LineCount> | undefined;
}

export function jobsDocument(parts: JobsParts): JobsDocument {
  const { works, devices } = parts.identity.work.view();
  const jobs = works.filter(({ isOver }) => isOver !== true).map((work) => jobOf(work, devices, parts));
  return { schema: JOBS_SCHEMA, ...known(parts), jobs };
}

/** The GPUs that a driver lists, the network cards, and all that are in use, idle ones as well. */
export function devicesDocument(parts: JobsParts): DevicesDocument {
  const { works, devices } = parts.identity.work.view();
  const byId = new Map(works.map((work) => [work.id, work]));
  const uses = Map.groupBy(devices, ({ device }) => device);
  const listed = parts.identity.gpus.facts();
  const all = [
    ...listed.gpus,
    ...listed.instances.map(({ component }) => component),
    ...listed.kernel.flatMap(({ component, parts }) => [component, ...parts]),
    ...parts.identity.nics.facts().cards,
  ];
  const aliases = new Map(all.map((component) => [`${component.type}/${component.id}`, component.aliases ?? []]));
  const names = [...new Set([...aliases.keys(), ...uses.keys()])].sort();
  const shown = names.map((device): DeviceDocument => {
    const here = (uses.get(device) ?? []).map((use) => useOf(use, byId.get(use.work ?? '')));
    return { device, aliases: aliases.get(device) ?? [], uses: here };
  });
  return { schema: DEVICES_SCHEMA, ...known(parts), devices: shown };
}

function known({ host, now, identity, health }: JobsParts): Known {
  return { host, time: computedTime(now()), conflicts: identity.work.view().conflicts, lacking: lacking(health()) };
}

function lacking(health: readonly SourceHealth[]): LackingDocument[] {
  const place = ({ source }: SourceHealth) => SOURCES_OF_WORK.indexOf(source.split('/', 1)[0] ?? '');
  return health
    .filter((one) => place(one) >= 0 && one.status !== 'works' && one.status !== 'off')
    .sort((a, b) => place(a) - place(b))
    .map(({ source, status, detail, remedy }) => ({ source, status, detail, remedy }));
}

function jobOf(work: Work, devices: readonly DeviceUse[], parts: JobsParts): JobDocument {
  const { startedMs } = work;
  return {
    id: work.id,
    aliases: work.aliases,
    manager: work.manager,
    name: work.name,
    user: work.user,
    account: work.account,
    queue: work.queue,
    attempt: work.attempt,
    started_at: startedMs === null ? null : computedTime(startedMs),
    scheduler_step: work.step,
    training_step: trainingStep(work, parts),
    world_size: work.worldSize,
    ranks: work.ranks.map(({ rank, localRank, pid, gpus, nics, pod, role, knownBy }) => {
      return { rank, local_rank: localRank, pid, gpus, nics, pod, role: role === '' ? null : role, known_by: knownBy };
    }),
    devices: [...new Set(devices.filter((use) => use.work === work.id).map(({ device }) => device))].sort(),
    pods: work.pods.map(podOf),
    framework: jobFramework(work, parts.linesOf?.(work.id)),
    logs: work.logs.map(({ path, knownBy }) => ({ path, known_by: knownBy })),
    run_folders: (work.runFolders ?? []).map(({ tool, path, knownBy }) => ({ tool, path, known_by: knownBy })),
    known_by: work.knownBy,
  };
}

/** As far back as the core keeps samples. */
const HISTORY_MS = 300_000;
/** Of a job with more ranks the first ones: they are at the same step. */
const MOST_RANKS = 8;

function trainingStep({ id, aliases, ranks }: Work, { core, now }: JobsParts): JobDocument['training_step'] {
  const nowMs = now();
  const last = (key: string): { readonly value: number; readonly timeMs: number } | null => {
    const { values, timesMs } = core.history(key, nowMs - HISTORY_MS, nowMs);
    const [value, timeMs] = [values.at(-1), timesMs.at(-1)];
    return value === undefined || timeMs === undefined ? null : { value, timeMs };
  };
  const names = [id, ...aliases];
  const first = ranks.slice(0, MOST_RANKS).map(({ rank }) => rank);
  const places = [...names.map((name) => `job/${name}`), ...names.flatMap((name) => first.map((n) => `rank/${name}/${n}`))]; // biome-ignore format: one line
  for (const place of places) {
    const iteration = last(`${place}#iteration`);
    if (iteration === null) continue;
    const took = last(`${place}#step_time`);
    const step_time_ms = took === null ? null : Math.round(took.value * 1e6) / 1e3;
    return { iteration: iteration.value, step_time_ms, time: computedTime(iteration.timeMs) };
  }
  return null;
}

function useOf({ work, ranks, pod, sharedBy, knownBy }: DeviceUse, of: Work | undefined): DeviceUseDocument {
  return {
    job: work,
    manager: of?.manager ?? null,
    name: of?.name ?? null,
    user: of?.user ?? null,
    ranks,
    pod: pod === null ? null : podOf(pod),
    share: Math.round(1e4 / Math.max(sharedBy, 1)) / 1e4,
    known_by: knownBy,
  };
}

function podOf({ namespace, name, uid, container }: WorkPod): PodDocument {
  return { namespace, name, uid, container };
}
