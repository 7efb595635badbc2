// Identity: the one place that knows which device, process, container, job and rank are the same thing.
// Sources and the pipeline teach it facts and ask it; it reads nothing of the host itself. What cannot be resolved is null.

import type { Component } from '../model/component.ts';
import type { Kind } from '../model/kind.ts';
import type { Discovery, EventInput } from '../model/record.ts';
import type { Link } from '../model/topology.ts';
import { Aliases } from './aliases.ts';
import { HostGpus } from './host-gpus.ts';
import { HostNics } from './host-nics.ts';
import { HostProcesses } from './host-processes.ts';
import { JobNames } from './job/job-names.ts';
import { KnownNames } from './known-names.ts';
import { OwnProcesses } from './own-processes.ts';
import { PartMemory } from './parts/part-memory.ts';
import { Placement } from './placement.ts';
import { gpuOfRank } from './rank/gpu-of-rank.ts';
import { LocalRanks } from './rank/local-ranks.ts';
import type { RankProcess } from './rank/processes.ts';
import { Resolver } from './resolver.ts';
import { Supplies } from './supplies.ts';
import { WhoseBook } from './whose/whose-book.ts';
import type { ReportedRankFact } from './work/facts.ts';
import { JobLife, type Life } from './work/job-life.ts';
import { Works } from './work/works.ts';

const OVER: ReadonlySet<Kind> = new Set(['job.ended', 'job.preempted', 'job.cancelled', 'job.requeued']);

export class Identity {
  /** Which GPUs the driver lists, and who uses them; taught by the GPU source. */
  readonly gpus = new HostGpus();
  /** What the network cards are called; taught by the NIC source. */
  readonly nics = new HostNics();
  /** Which processes are this daemon's own; taught by the part that starts one. */
  readonly own: OwnProcesses;
  /** Which parts this host has had, over reboots; compared by the inventory source. */
  readonly parts: PartMemory;
  /** Which power supplies a BMC lists; taught by the BMC source. */
  readonly supplies = new Supplies();
  /** Every component that was configured, discovered or named by an event. */
  readonly names: KnownNames;
  /** The one name of a component that has several; correlation asks, and teaches it the ends of its links. */
  readonly aliases = new Aliases();
  /** Which GPU works on what. */
  readonly placement = new Placement();
  /** Which ranks the configuration places here. */
  readonly ranks = new LocalRanks();
  /** Under which name a job is reported. */
  readonly jobs = new JobNames();
  /** Which job, pod, rank and device belong together; taught by the sources of processes, Kubernetes and schedulers. */
  readonly work: Works;
  /** Whose job an event hit. */
  readonly whose: WhoseBook;
  /** Looks at the processes of this host, which sources share; the source of processes says how. */
  readonly processes: HostProcesses;
  readonly #life = new JobLife();
  readonly #resolver = new Resolver();

  /** `now`: epoch ms. `directory`: the state folder; left out, nothing is kept for the next run. */
  constructor(
    host: string,
    { now = Date.now, directory = null }: { readonly now?: () => number; readonly directory?: string | null } = {},
  ) {
    this.own = new OwnProcesses({ now });
    this.parts = new PartMemory(directory, now);
    this.names = new KnownNames(host);
    this.work = new Works(this.gpus, this.nics, now);
    this.whose = new WhoseBook(() => this.work.view(), now);
    this.work.onView((view) => {
      this.whose.saw(view);
      this.#life.saw(view);
    });
    this.processes = new HostProcesses(this, now);
  }

  /** A source found this component: its host, parent and other names, and what it is part of. */
  learn(discovery: Discovery): void {
    this.#resolver.learn(discovery.component);
    this.names.saw(discovery.component);
    this.#linked(discovery);
  }

  /** The configuration has this link. */
  configured(link: Link): void {
    this.names.saw(link.from);
    this.names.saw(link.to);
    this.#linked({ component: link.to, links: [link] });
  }

  /** The configuration has this link no more. */
  unconfigured(link: Link): void {
    this.ranks.forget(link);
    this.placement.forget(link);
  }

  /** An event names its component, and a rank's process; a job that is over leaves its GPUs. */
  heard({ kind, component, trust, attributes }: EventInput): void {
    // What maintenance is declared of is not seen by that.
    if (kind !== 'host.maintenance') this.names.saw(component);
    if (OVER.has(kind) && component?.type === 'job') {
      this.placement.ended(component.id);
      this.#life.forget(component.id);
    }
    const job = component === null ? null : jobOf(component);
    if (component?.type === 'rank' && trust === 'tenant' && typeof attributes?.pid === 'number')
      this.work.reported.set(reportedRank(component.id, attributes.pid));
    if (job !== null && trust === 'tenant' && typeof attributes?.pid === 'number')
      this.jobs.lineNames(job, attributes.pid);
  }

  /** The same component with host, parent and aliases as far as they are known; what is not known stays as it is. */
  resolve(component: Component | null): Component | null {
    return this.#resolver.resolve(component);
  }

  /** What is left of the processes of a job; null where none was ever seen. */
  lifeOf(job: string): Life | null {
    return this.#life.of(this.jobs.canonical(job), this.work.view()) ?? this.#life.of(job, this.work.view());
  }

  /** The GPU that a rank uses; null where that would be a guess. */
  gpuOf(rank: RankProcess): Component | null {
    return gpuOfRank(rank, this.gpus.facts());
  }

  #linked(discovery: Discovery): void {
    for (const link of discovery.links) this.ranks.learn(link);
    this.placement.learn(discovery);
  }
}

/** A line of its log names the process of a rank. */
function reportedRank(id: string, pid: number): ReportedRankFact {
  const slash = id.lastIndexOf('/');
  return { pid, job: id.slice(0, slash), rank: Number(id.slice(slash + 1)), knownBy: 'a line of its log' };
}

/** Of a job or one of its ranks. */
function jobOf({ type, id }: Component): string | null {
  if (type === 'job') return id;
  return type === 'rank' ? id.slice(0, id.lastIndexOf('/')) : null;
}
