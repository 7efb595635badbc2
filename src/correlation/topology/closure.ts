// Closure: what one component reaches up to the next hosts, and through which hosts the rest is reached.

/** The last step of the best way. */
export interface Step {
  readonly quality: number;
  readonly previous: string | null;
}

/** A hub, and the hub before it on the way there. */
export interface HubStep {
  readonly quality: number;
  readonly via: string | null;
}

export interface Closure {
  readonly start: string;
  /** By component text, the start included; the way goes no further than to a hub. */
  readonly reached: Map<string, Step>;
  readonly hubs: Map<string, number>;
  /** Jobs and services among it, by name. */
  readonly jobs: Map<string, number>;
  /** All hubs and jobs that are reached, through others too, as of a version of the graph. */
  far: {
    readonly version: number;
    readonly hubs: ReadonlyMap<string, HubStep>;
    jobs: ReadonlyMap<string, number> | null;
  };
}

const JOB = /^(?:job|service)\/(.+)$/;

export function isHub(text: string): boolean {
  return text.startsWith('work/') || text.startsWith('host/');
}

export function newClosure(start: string): Closure {
  const closure: Closure = {
    start,
    reached: new Map([[start, { quality: 1, previous: null }]]),
    hubs: new Map(),
    jobs: new Map(),
    far: { version: -1, hubs: new Map(), jobs: null },
  };
  const job = JOB.exec(start)?.[1];
  if (job !== undefined) closure.jobs.set(job, 1);
  return closure;
}

/** Takes a way where it is better than the known one; `far` where it leads to a hub or a job. */
export function grow(closure: Closure, from: string, to: string, quality: number): 'no' | 'near' | 'far' {
  const { reached, hubs, jobs } = closure;
  if (quality <= (reached.get(to)?.quality ?? 0)) return 'no';
  reached.set(to, { quality, previous: from });
  const job = JOB.exec(to)?.[1];
  if (job !== undefined) jobs.set(job, quality);
  else if (!isHub(to)) return 'near';
  else hubs.set(to, quality);
  return 'far';
}

/** All hubs by the best way through hubs. */
export function farther(closure: Closure, of: (hub: string) => Closure, worst: number): Map<string, HubStep> {
  const found = new Map<string, HubStep>();
  const queue: string[] = [];
  const visit = (hub: string, quality: number, via: string | null): void => {
    if (hub === closure.start || quality < worst || quality <= (found.get(hub)?.quality ?? 0)) return;
    found.set(hub, { quality, via });
    queue.push(hub);
  };
  for (const [hub, quality] of closure.hubs) visit(hub, quality, null);
  for (const hub of queue) {
    const quality = found.get(hub)?.quality ?? 0;
    for (const [next, further] of of(hub).hubs) visit(next, quality * further, hub);
  }
  return found;
}
