// Works: what sources say of the work on this host, and the view that is made of all of it.

import type { GpuFacts } from '../host-gpus.ts';
import type { NicFacts } from '../host-nics.ts';
import { AlikeProcesses } from './alike-processes.ts';
import { assemble } from './assemble.ts';
import { FactMap } from './fact-map.ts';
import type {
  DumpedRanksFact,
  NamedFact,
  PodFact,
  ProcessFact,
  ReportedRankFact,
  ScheduledJobFact,
  UserFact,
} from './facts.ts';
import type { WorkView } from './work.ts';

const MOST = {
  processes: 16_384,
  pods: 1024,
  scheduled: 1024,
  named: 4096,
  reported: 4096,
  dumped: 256,
  users: 4096,
} as const;
/** Not made again sooner: a job's start is hundreds of news. */
const MADE_EVERY_MS = 1000;
const NOTHING: WorkView = { version: 0, works: [], devices: [], conflicts: [] };

/** The GPUs of this host as the driver lists them. */
interface Gpus {
  readonly version: number;
  facts(): GpuFacts;
}

/** Its network cards and what they are called. */
interface Nics {
  readonly version: number;
  facts(): NicFacts;
}

export const processKey = ({ pid, startTicks }: Pick<ProcessFact, 'pid' | 'startTicks'>): string =>
  `${String(startTicks).padStart(16, '0')}:${String(pid).padStart(10, '0')}`;
export const podKey = ({ uid, namespace, name }: Pick<PodFact, 'uid' | 'namespace' | 'name'>): string =>
  uid ?? `${namespace}/${name}`;
export const scheduledKey = ({ manager, id }: Pick<ScheduledJobFact, 'manager' | 'id'>): string => `${manager}/${id}`;

export class Works {
  /** A source sets its facts and drops them; the same fact again changes nothing. */
  readonly processes = new FactMap<ProcessFact>(processKey, MOST.processes, (before, after) => {
    this.#alike.changed(before, after);
    this.#processVersion += 1;
  });
  readonly pods = new FactMap<PodFact>(podKey, MOST.pods, () => this.#changed());
  readonly scheduled = new FactMap<ScheduledJobFact>(scheduledKey, MOST.scheduled, () => this.#changed());
  readonly named = new FactMap<NamedFact>(
    ({ pid }) => String(pid),
    MOST.named,
    () => this.#changed(),
  );
  readonly reported = new FactMap<ReportedRankFact>(
    ({ pid }) => String(pid),
    MOST.reported,
    () => this.#changed(),
  );
  readonly dumped = new FactMap<DumpedRanksFact>(
    ({ user, job }) => `${user}/${job}`,
    MOST.dumped,
    () => this.#changed(),
  );
  readonly users = new FactMap<UserFact>(
    ({ id }) => String(id),
    MOST.users,
    () => this.#changed(),
  );
  readonly #gpus: Gpus;
  readonly #nics: Nics;
  readonly #now: () => number;
  readonly #alike = new AlikeProcesses();
  #processVersion = 0;
  /** Of all other facts. */
  #version = 0;
  #made = { version: 0, processes: 0, gpus: 0, nics: 0, atMs: Number.NEGATIVE_INFINITY };
  /** The processes that the view was made of. */
  #deciding: readonly ProcessFact[] = [];
  #view = NOTHING;
  #isPlayed = false;
  readonly #listeners: ((view: WorkView) => void)[] = [];

  /** `now`: epoch ms. */
  constructor(gpus: Gpus, nics: Nics, now: () => number = Date.now) {
    this.#gpus = gpus;
    this.#nics = nics;
    this.#now = now;
  }

  /** Called with each view that is made. */
  onView(listener: (view: WorkView) => void): void {
    this.#listeners.push(listener);
  }

  /** The work as it is known now, or was up to a second ago. The same object while nothing changed. */
  view(): WorkView {
    if (this.#isPlayed) return this.#view;
    const isSame = this.#isSame();
    if (isSame && this.#made.processes === this.#processVersion) return this.#view;
    const nowMs = this.#now();
    const since = nowMs - this.#made.atMs;
    // A clock that was set back must not hold it up.
    if (since >= 0 && since < MADE_EVERY_MS) return this.#view;
    return this.#make(nowMs, isSame);
  }

  /** The work as a recording has it: from here on no other is made. */
  play(view: Omit<WorkView, 'version'>): void {
    this.#isPlayed = true;
    this.#publish(view);
  }

  /** As `view`, but of this moment. */
  fresh(): WorkView {
    this.#made = { ...this.#made, atMs: Number.NEGATIVE_INFINITY };
    return this.view();
  }

  /** All but the processes. */
  #isSame(): boolean {
    const { version, gpus, nics } = this.#made;
    return version === this.#version && gpus === this.#gpus.version && nics === this.#nics.version;
  }

  /** `isSame`: all but the processes. */
  #make(atMs: number, isSame: boolean): WorkView {
    this.#made = {
      version: this.#version,
      processes: this.#processVersion,
      gpus: this.#gpus.version,
      nics: this.#nics.version,
      atMs,
    };
    const others = {
      pods: this.pods.values(),
      scheduled: this.scheduled.values(),
      named: this.named.values(),
      reported: this.reported.values(),
      dumped: this.dumped.values(),
      users: this.users.values(),
      gpus: this.#gpus.facts(),
      nics: this.#nics.facts(),
    };
    const processes = this.#alike.deciding(others);
    const before = this.#deciding;
    if (isSame && processes.length === before.length && processes.every((each, at) => each === before[at]))
      return this.#view;
    this.#deciding = processes;
    return this.#publish(assemble({ processes, ...others }));
  }

  #publish({ works, devices, conflicts }: Omit<WorkView, 'version'>): WorkView {
    this.#view = { version: this.#view.version + 1, works, devices, conflicts };
    for (const listener of this.#listeners) listener(this.#view);
    return this.#view;
  }

  #changed(): void {
    this.#version += 1;
  }
}
