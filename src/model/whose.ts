// Whose: the jobs that a device, rank or process worked for when something happened to it, with user, pods and ranks.

export interface WhosePod {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  readonly container: string | null;
}

/** `host`: nothing closer is known than that the job was on the host that was hit. */
export const WHOSE_BY = ['process', 'device', 'job', 'host'] as const;

/** One job as far as it was hit. Texts are what users and schedulers wrote: hostile, and bounded. */
export interface Whose {
  /** As in component job/<id>; null where a pod or process without a known job had the device. */
  readonly job: string | null;
  readonly aliases: readonly string[];
  /** slurm, kubernetes, mpi, torchrun, …; null where no job is known. */
  readonly manager: string | null;
  readonly name: string | null;
  readonly user: string | null;
  readonly account: string | null;
  /** Partition or queue. */
  readonly queue: string | null;
  readonly attempt: number | null;
  readonly pods: readonly WhosePod[];
  /** Global ranks that were hit, rising. */
  readonly ranks: readonly number[];
  /** Devices on which it was hit, by component text (gpu/0000:9b:00.0); left out where none is known. */
  readonly devices?: readonly string[];
  /** What was hit: a process of it, a device that it used, the job itself, the whole host. */
  readonly by: (typeof WHOSE_BY)[number];
}

export const MOST_WHOSE = 16;
const MOST_PODS = 16;
const MOST_RANKS = 256;
const MOST_DEVICES = 32;

/**
 * The jobs of all of these, each once with all its pods and ranks, in the order in which they come. Jobs of which only is known
 * that they were on the host are left out where something closer names others.
 */
export function joinWhose(all: readonly Whose[]): readonly Whose[] {
  const close = all.some(({ by }) => by !== 'host');
  const joined = new Map<string, Whose>();
  for (const one of all) {
    if (close && one.by === 'host') continue;
    const key = keyOf(one);
    const known = joined.get(key);
    if (known !== undefined) joined.set(key, both(known, one));
    else if (joined.size < MOST_WHOSE) joined.set(key, bounded(one));
  }
  return [...joined.values()];
}

/** Without a job it is the pod. */
function keyOf({ job, pods }: Whose): string {
  return job === null ? `pod ${pods[0]?.uid ?? ''} ${pods[0]?.namespace ?? ''}/${pods[0]?.name ?? ''}` : `job ${job}`;
}

function both(a: Whose, b: Whose): Whose {
  const by = WHOSE_BY.find((each) => each === a.by || each === b.by) ?? a.by;
  // What names ranks says which were hit; what names the job alone says nothing of them.
  const ranks = [...new Set([...a.ranks, ...b.ranks])].sort((x, y) => x - y);
  const pods = new Map([...a.pods, ...b.pods].map((pod) => [`${pod.uid} ${pod.name} ${pod.container ?? ''}`, pod]));
  const aliases = [...new Set([...a.aliases, ...b.aliases])];
  const devices = [...new Set([...(a.devices ?? []), ...(b.devices ?? [])])].sort();
  return bounded({ ...a, by, ranks, pods: [...pods.values()], aliases, ...withDevices(devices) });
}

function bounded(one: Whose): Whose {
  const { pods, ranks, devices } = one;
  const some = devices !== undefined && devices.length > MOST_DEVICES ? withDevices(devices) : {};
  return { ...one, pods: pods.slice(0, MOST_PODS), ranks: ranks.slice(0, MOST_RANKS), ...some };
}

export function withDevices(devices: readonly string[]): Pick<Whose, 'devices'> {
  return devices.length === 0 ? {} : { devices: devices.slice(0, MOST_DEVICES) };
}

/** Each scheduler's form of a job's id, as its users write it. */
const SCHEDULER_ID: Readonly<Record<string, RegExp>> = {
  slurm: /^\d{1,10}(?:_\d{1,10})?(?:\+\d{1,10})?$/,
  pbs: /^\d{1,10}(?:\[\d{0,10}\])?(?:\.[\w.-]{1,128})?$/,
  lsf: /^\d{1,10}(?:\[\d{1,10}\])?$/,
  flux: /^(?:\u0192\w{1,32}|f\w{1,32}|\d{1,20})$/,
};

/** Names that are made of a pid, or of the id of a container or pod: nothing that a user gave, and another one each time. */
const MADE_UP = /^(?:pid-\d+|pod-[0-9a-f-]{32,36}|[0-9a-f]{12})(?:-|$)/;

/** Id of the scheduler, else the one name of the job; null where that is made up. */
export function schedulerId(job: string | null, aliases: readonly string[], manager: string | null): string | null {
  if (job === null) return null;
  const form = manager !== null && Object.hasOwn(SCHEDULER_ID, manager) ? SCHEDULER_ID[manager] : undefined;
  const written = form === undefined ? undefined : [job, ...aliases].find((name) => form.test(name));
  if (written !== undefined) return written;
  return MADE_UP.test(job) ? null : job;
}
