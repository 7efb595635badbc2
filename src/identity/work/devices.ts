// Who has which device: by the processes on it, and by what was given to pods and jobs. An allocation without processes is one as well.

import { deviceGiven, gpuOfIndex } from './device-names.ts';
import type { Facts, PodFact } from './facts.ts';
import type { Group, Joined } from './join.ts';
import { nicGiven, nicsOfProcess } from './nics-of-rank.ts';
import { containerOf } from './ranks.ts';
import type { DeviceUse, WorkConflict, WorkPod, WorkRank } from './work.ts';

const BY_DRIVER = "driver's list of processes";

interface NamedGroup {
  readonly id: string;
  readonly group: Group;
  readonly ranks: readonly WorkRank[];
}

interface Use {
  readonly device: string;
  readonly work: string | null;
  readonly pod: WorkPod | null;
  readonly ranks: Set<number>;
  readonly knownBy: Set<string>;
  used: boolean;
  /** Given to it: alone, or to share; null where it only uses it. */
  given: 'alone' | 'shared' | null;
}

export interface Devices {
  readonly devices: readonly DeviceUse[];
  readonly conflicts: readonly WorkConflict[];
}

export function devicesOfWorks(named: readonly NamedGroup[], facts: Facts, { ofPid, context }: Joined): Devices {
  const uses = new Map<string, Use>();
  const use = (device: string, work: string | null, pod: WorkPod | null, knownBy: string): Use => {
    const key = [device, work ?? '', pod?.uid ?? '', pod?.name ?? '', pod?.container ?? ''].join('\n');
    const found = uses.get(key) ?? {
      device,
      work,
      pod,
      ranks: new Set(),
      knownBy: new Set(),
      used: false,
      given: null,
    };
    uses.set(key, found);
    found.knownBy.add(knownBy);
    return found;
  };
  const works = new Map(named.map((each) => [each.group, each]));
  const { processes } = context;
  const podOf = podOfProcess(context);
  // What a container was given of a GPU is what its processes use of it.
  const instancesOf = (pid: number, gpu: string): string[] => {
    const process = processes.get(pid);
    const group = ofPid.get(pid);
    const devices = process === undefined || group === undefined ? [] : (containerOf(process, group)?.devices ?? []);
    const given = devices.flatMap((each) => deviceGiven(each, facts.gpus)?.device ?? []);
    return [...new Set(given)].filter((device) => device.startsWith(`gpu_instance/${gpu}/`));
  };
  for (const [gpu, pids] of facts.gpus.users) {
    for (const pid of pids) {
      const group = ofPid.get(pid);
      const work = group === undefined ? null : (works.get(group)?.id ?? null);
      const instances = instancesOf(pid, gpu);
      const device = instances.length === 1 ? (instances[0] ?? '') : deviceText(gpu);
      use(device, work, podOf(pid), BY_DRIVER).used = true;
    }
  }
  for (const { id, group, ranks } of named) {
    for (const pod of group.pods) {
      for (const { name, devices } of pod.containers) {
        for (const device of devices) {
          const nic = nicGiven(device, facts.nics);
          // Others may have functions of the same card.
          if (nic !== null) use(`nic/${nic}`, id, workPod(pod, name), pod.knownBy).given = 'shared';
          const known = deviceGiven(device, facts.gpus);
          if (known === null) continue;
          // A scheduler's daemon that runs in a pod: the device is of the job that it runs.
          if ([...uses.values()].some((each) => each.device === known.device && each.work !== id && isOf(each, pod)))
            continue;
          const row = use(known.device, id, workPod(pod, name), pod.knownBy);
          row.given = known.shared ? 'shared' : 'alone';
        }
      }
    }
    for (const index of group.scheduled?.gpus ?? []) {
      const device = gpuOfIndex(index, facts.gpus);
      if (device === null) continue;
      // Its containers have rows of their own.
      const rows = [...uses.values()].filter((each) => each.device === device && each.work === id);
      if (rows.length === 0) rows.push(use(device, id, null, group.scheduled?.knownBy ?? ''));
      for (const row of rows) row.given = group.scheduled?.sharesGpus === true ? 'shared' : 'alone';
    }
    const rankOf = new Map(ranks.flatMap(({ rank, pid }) => (pid === null ? [] : [[pid, rank] as const])));
    for (const process of group.processes) {
      const rank = rankOf.get(process.pid);
      // What a rank starts has its variables as well, and only what it has open counts.
      const onlyOpen = rank === undefined && rankOf.size > 0;
      for (const { nic, knownBy } of nicsOfProcess(process, containerOf(process, group), facts.nics, onlyOpen)) {
        const row = use(`nic/${nic}`, id, podOf(process.pid), knownBy);
        if (rank !== undefined) row.ranks.add(rank);
      }
    }
    for (const { rank, gpus, pid, knownBy } of ranks) {
      for (const gpu of gpus) {
        const device = deviceText(gpu);
        const rows = [...uses.values()].filter((each) => each.device === device && each.work === id);
        const pod = pid === null ? null : podOf(pid);
        const row =
          rows.find((each) => each.pod?.uid === pod?.uid && each.pod?.container === pod?.container) ?? rows[0];
        (row ?? use(device, id, pod, knownBy)).ranks.add(rank);
      }
    }
  }
  return { devices: rowsOf(uses), conflicts: twoClaims(uses) };
}

/** A GPU's id is its address; that of an instance has a number behind it. */
const deviceText = (id: string): string => `${/\/\d+$/.test(id) ? 'gpu_instance' : 'gpu'}/${id}`;

const isOf = ({ pod }: Use, { uid }: PodFact): boolean => pod !== null && uid !== null && pod.uid === uid;

function rowsOf(uses: ReadonlyMap<string, Use>): DeviceUse[] {
  const shares = Map.groupBy(uses.values(), ({ device }) => device);
  const sorted = [...uses].sort(([a], [b]) => (a < b ? -1 : 1));
  return sorted.map(([, { device, work, pod, ranks, knownBy }]) => ({
    device,
    work,
    ranks: [...ranks].sort((a, b) => a - b),
    pod,
    sharedBy: shares.get(device)?.length ?? 1,
    knownBy: [...knownBy].sort().join(', '),
  }));
}

/** Given to one alone, and another has it too: a pod that was deleted by force while its processes live, a job's leftovers. */
function twoClaims(uses: ReadonlyMap<string, Use>): WorkConflict[] {
  return [...Map.groupBy(uses.values(), ({ device }) => device)].flatMap(([device, rows]): WorkConflict[] => {
    const owner = rows.find(({ given }) => given === 'alone');
    if (owner === undefined) return [];
    const others = rows.filter((row) => row !== owner && calledUse(row) !== calledUse(owner) && row.given !== 'shared');
    if (others.length === 0) return [];
    const said = others.map((row) => `${row.used ? 'processes of ' : ''}${calledUse(row)} ${row.used ? 'use it' : 'has it too'}`).sort(); // biome-ignore format: one line
    return [{ about: device, reason: `it was given to ${calledUse(owner)} alone, and ${said.join(', ')}` }];
  });
}

function calledUse({ work, pod }: Use): string {
  if (pod !== null) return `pod ${pod.namespace === '' ? pod.uid : `${pod.namespace}/${pod.name}`}`;
  return work === null ? 'a process of no known job' : `job ${work}`;
}

function podOfProcess({ processes, pods }: Joined['context']) {
  return (pid: number): WorkPod | null => {
    const process = processes.get(pid);
    const uid = process?.place.pod ?? null;
    if (process === undefined || uid === null) return null;
    const pod = pods.get(uid);
    if (pod === undefined) return { namespace: '', name: '', uid, container: null };
    return workPod(pod, containerOf(process, { pods: [pod] })?.name ?? null);
  };
}

export function workPod({ namespace, name, uid }: PodFact, container: string | null): WorkPod {
  return { namespace, name, uid: uid ?? '', container };
}
