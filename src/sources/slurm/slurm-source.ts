// Slurm source: looks for marks of jobs, has them listed when they change, and asks slurmctld once when a job appears and at its end.

import { setTimeout as sleep } from 'node:timers/promises';
import { errorText } from '../../helpers/error-text.ts';
import { within } from '../../helpers/within.ts';
import type { Identity } from '../../identity/identity.ts';
import { scheduledKey } from '../../identity/work/works.ts';
import type { EventInput } from '../../model/record.ts';
import { DeclaredPlans } from '../declared-plans.ts';
import { PolledSource } from '../files/polled-source.ts';
import type { SmallFiles } from '../files/small-files.ts';
import type { SourceCounts, SourceHealth } from '../source.ts';
import type { ControllerQuestions } from './ask/questions.ts';
import { Asker } from './asker.ts';
import { findInstallation, type Installation, type Places } from './find/installation.ts';
import { type FolderPlaces, type JobFolders, readJobFolders } from './find/job-folders.ts';
import { JobMarks } from './find/marks.ts';
import { findSruns } from './find/sruns.ts';
import { slurmHealth } from './health.ts';
import { jobFact } from './job-fact.ts';
import type { ListedTask } from './read/listed-tasks.ts';
import type { SlurmNode } from './read/node.ts';
import type { SrunOutput } from './read/srun-options.ts';
import type { SlurmSettings } from './settings.ts';
import { type EventContext, failedNode, SOURCE } from './states/job-events.ts';
import { NodeWatch } from './states/node-watch.ts';
import { isReserved, plansOf } from './states/planned.ts';
import { JobTracker } from './states/tracker.ts';

/** Slurm may be installed while we run, and its programs may be updated. */
const FIND_EVERY_MS = 60_000;
const FIND_AGAIN_MS = 600_000;
/** Tasks of a job come and go within its steps, which their sockets do not show. */
const LIST_EVERY_MS = 30_000;
/** Where nothing shows a change; without slurmd this is probably a host that only submits jobs. */
const LIST_BLIND_MS = 15_000;
const LIST_SELDOM_MS = 120_000;
/** Jobs asked about in one round: each is a process of some milliseconds. */
const ASKS_A_ROUND = 16;
/** A look of a moment waits so long for the controller. */
const FIRST_ANSWER_MS = 2000;
/** slurmctld answers some hundred questions a second: a job over all nodes asks as fast as that, and a small cluster at once. */
const SPREAD_A_NODE_MS = 10;
/** Slurm drains a node some time after what it drains it for. */
const NODE_SOON_MS = 30_000;
/** While the last jobs of a drained node end. */
const DRAINING_MS = 30_000;
const NONE: JobFolders = { files: new Map(), gpus: new Map(), doubts: [] };

export interface SlurmOptions {
  readonly host: string;
  readonly places: Places;
  readonly folders: FolderPlaces;
  /** Epoch ms on the steady clock. */
  readonly now: () => number;
  readonly steady: (wallMs: number) => number;
  readonly files: SmallFiles;
  readonly identity: Identity;
  /** A part of 1, by which questions are put off. */
  readonly random?: () => number;
}

export class SlurmSource extends PolledSource {
  readonly #settings: SlurmSettings;
  readonly #options: SlurmOptions;
  readonly #abort = new AbortController();
  readonly #marks: JobMarks;
  readonly #tracker: JobTracker;
  readonly #watch = new NodeWatch();
  readonly #plans: DeclaredPlans;
  #installation: Installation | null = null;
  #asker: Asker | null = null;
  #foundMs = Number.NEGATIVE_INFINITY;
  #listedMs = Number.NEGATIVE_INFINITY;
  #nodeAtMs = Number.NEGATIVE_INFINITY;
  #marked: string | null = null;
  #wasChanged = false;
  #tasks: ReadonlyMap<number, readonly ListedTask[]> | null = null;
  #sruns: ReadonlyMap<number, readonly SrunOutput[]> = new Map();
  /** Jobs that have this node though nothing of them is seen. */
  #allocated: ReadonlySet<number> = new Set();
  #folders = NONE;
  #facts = new Set<string>();
  #asking: Promise<void> | null = null;
  #noTasks: string | null = null;
  #noJobs: string | null = null;
  #failures = 0;

  constructor(settings: SlurmSettings, options: SlurmOptions) {
    super(SOURCE, settings.intervalMs, options.files);
    this.#settings = settings;
    this.#options = options;
    this.#marks = new JobMarks(options.files, options.places.groups);
    this.#plans = new DeclaredPlans(SOURCE, options.now, () => this.emit);
    const { random = Math.random } = options;
    this.#tracker = new JobTracker(() => random() * this.#spreadMs());
  }

  /** Over which time the hosts of a job that has all of the cluster's nodes ask. */
  #spreadMs(): number {
    const size = this.#installation?.size ?? Number.POSITIVE_INFINITY;
    return Math.min(this.#settings.spreadMs, size * SPREAD_A_NODE_MS);
  }

  override async stop(): Promise<void> {
    this.#abort.abort();
    this.#plans.stop();
    await super.stop();
  }

  forget(): void {
    this.#options.identity.work.scheduled.replace([], ({ manager }) => manager === 'slurm');
  }

  override counts(): readonly SourceCounts[] {
    return super.counts().map((counts) => ({ ...counts, reads: this.#asker?.started ?? 0, failures: this.#failures }));
  }

  /** A fault was seen that Slurm may drain the node for. */
  suspect(): void {
    this.#nodeAtMs = Math.min(this.#nodeAtMs, this.#options.now() + NODE_SOON_MS);
  }

  protected lookedHealth(): SourceHealth {
    const { folders } = this.#options;
    return slurmHealth({
      installation: this.#installation,
      release: this.#asker?.release ?? null,
      asked: this.#asker?.asked ?? 'nothing',
      jobs: this.#tracker.jobs,
      node: this.#watch.node,
      noTasks: this.#noTasks,
      noJobs: this.#noJobs,
      doubts: [...(this.#installation?.doubts ?? []), ...this.#folders.doubts, ...this.hanging()],
      folders: [
        ...(this.#folders.files.size > 0 ? [folders.jobs] : []),
        ...(this.#folders.gpus.size > 0 ? [folders.mapping] : []),
      ],
    });
  }

  protected async round(): Promise<void> {
    await this.#find();
    if (this.#installation === null || this.emit === null) return;
    await this.#look(this.#installation);
    this.#publish(this.#installation);
    // A controller that does not answer must not hold up what this node knows by itself.
    this.#asking ??= this.#askController(this.#installation)
      .catch((error: unknown) => this.emit?.failed?.(error))
      .finally(() => {
        this.#asking = null;
      });
    if (!this.looked) await within(FIRST_ANSWER_MS, this.#asking);
  }

  async #askController(installation: Installation): Promise<void> {
    await this.#ask();
    // What is put off by less than a look is not put off by a whole one.
    const waitMs = (this.#tracker.nextMs ?? Number.POSITIVE_INFINITY) - this.#options.now();
    if (waitMs < this.#settings.intervalMs) {
      await sleep(Math.max(1, waitMs), undefined, { signal: this.#abort.signal }).catch(() => {});
      await this.#ask();
    }
    await this.#askOfNode(installation);
    if (this.emit !== null) this.#publish(installation);
  }

  async #find(): Promise<void> {
    const nowMs = this.#options.now();
    if (nowMs - this.#foundMs < (this.#installation === null ? FIND_EVERY_MS : FIND_AGAIN_MS)) return;
    this.#foundMs = nowMs;
    const { files, host, places, identity } = this.#options;
    const before = this.#installation;
    const found = await findInstallation(files, host, places, this.#settings);
    this.#installation = found;
    if (found === null) this.#asker = null;
    else if (this.#asker === null || found.programs !== before?.programs || found.conf !== before.conf)
      this.#asker = new Asker(found, this.#settings.rest, { own: identity.own, signal: this.#abort.signal });
  }

  async #look(installation: Installation): Promise<void> {
    const { now, files, folders } = this.#options;
    const marks = await this.#marks.look(installation.spool);
    const nowMs = now();
    const isChanged = marks !== null && marks.text !== this.#marked;
    const blindMs = installation.slurmd === null ? LIST_SELDOM_MS : LIST_BLIND_MS;
    const everyMs = marks === null ? blindMs : marks.text === '' ? Number.POSITIVE_INFINITY : LIST_EVERY_MS;
    this.#marked = marks?.text ?? null;
    // Once more at the next look: a step daemon is there before its tasks are.
    if (isChanged || this.#wasChanged || nowMs - this.#listedMs >= everyMs) {
      this.#listedMs = nowMs;
      this.#wasChanged = isChanged;
      await this.#list();
    }
    if (marks?.node !== undefined && marks.node !== null && installation.slurmd?.node == null)
      this.#installation = { ...installation, node: marks.node };
    const unlisted = this.#noTasks === null && this.#asker?.local != null ? [] : (marks?.sockets ?? []);
    const here = new Set([...(marks?.jobs ?? []), ...unlisted, ...(this.#tasks?.keys() ?? []), ...this.#allocated]);
    this.#folders = await readJobFolders(files, folders);
    this.#tracker.here(here, this.#tasks, now());
  }

  async #list(): Promise<void> {
    const local = this.#asker?.local ?? null;
    if (local === null) return;
    try {
      this.#tasks = Map.groupBy(await local.tasks(), ({ job }) => job);
      this.#sruns = await findSruns(this.#options.files, this.#options.places.proc, this.#tasks);
      this.#noTasks = null;
    } catch (error) {
      this.#tasks = new Map();
      this.#noTasks = this.#failed(error);
    }
    // What has processes is known by them from now on, also that it ended.
    this.#allocated = new Set([...this.#allocated].filter((number) => this.#tasks?.has(number) !== true));
  }

  async #ask(): Promise<void> {
    const controller = this.#asker?.controller ?? null;
    if (controller === null) return;
    for (const number of this.#tracker.due(this.#options.now()).slice(0, ASKS_A_ROUND)) {
      try {
        const answer = await controller.job(number);
        this.#noJobs = null;
        this.#emit(this.#tracker.answered(number, answer, this.#context()));
      } catch (error) {
        if (this.emit === null) return;
        this.#noJobs = this.#failed(error);
        this.#tracker.failed(number, this.#options.now());
      }
    }
  }

  async #askOfNode({ node }: Installation): Promise<void> {
    const { now, random = Math.random } = this.#options;
    const controller = this.#asker?.controller ?? null;
    if (controller === null || now() < this.#nodeAtMs) return;
    const { nodeIntervalMs, spreadMs } = this.#settings;
    // The first question too is put off: a cluster may start all its daemons at once.
    const isPutOff = this.#nodeAtMs === Number.NEGATIVE_INFINITY && spreadMs > 0;
    this.#nodeAtMs = now() + (isPutOff ? 0 : nodeIntervalMs) + random() * spreadMs;
    if (isPutOff) return;
    try {
      const found = await controller.node(node);
      if (found === null) {
        this.#noJobs = null;
        return;
      }
      await this.#plan(controller, found);
      this.#emit(this.#watch.looked(found, this.#context()));
      if (this.#watch.isDraining) this.#nodeAtMs = Math.min(this.#nodeAtMs, now() + DRAINING_MS);
      const allocated = (await this.#asker?.jobsOf(node)) ?? [];
      this.#allocated = new Set(
        allocated.filter((number) => this.#tasks?.has(number) !== true && !this.#isEnding(number)),
      );
      this.#noJobs = null;
    } catch (error) {
      if (this.emit !== null) this.#noJobs = this.#failed(error);
    }
  }

  /** Planned work is reported before what follows from it. */
  async #plan(controller: ControllerQuestions, node: SlurmNode): Promise<void> {
    const { host, steady, now } = this.#options;
    const reservations = isReserved(node) ? await controller.reservations() : [];
    const plans = plansOf(node, reservations, { host, steady, nowMs: now(), words: this.#settings.plannedReasons });
    this.#plans.set(plans);
  }

  /** Its processes were here and are gone: that it still has the node is not news. */
  #isEnding(number: number): boolean {
    return this.#tracker.has(number) && !this.#allocated.has(number);
  }

  #publish({ node, hostName }: Installation): void {
    const { scheduled } = this.#options.identity.work;
    const facts = this.#tracker.jobs.map((job) =>
      jobFact(job, {
        node,
        hostName,
        release: this.#asker?.releaseNumber ?? null,
        asked: this.#asker?.asked ?? '',
        file: this.#folders.files.get(job.number) ?? null,
        mapped: this.#folders.gpus.get(job.number) ?? null,
        nodeHasGpus: this.#watch.node?.hasGpus ?? false,
        sruns: this.#sruns.get(job.number) ?? [],
      }),
    );
    const keys = new Set(facts.map(scheduledKey));
    for (const key of this.#facts) if (!keys.has(key)) scheduled.drop(key);
    for (const fact of facts) scheduled.set(fact);
    this.#facts = keys;
  }

  #context(): EventContext {
    const { host, now, steady } = this.#options;
    return { host, node: this.#installation?.node ?? host, nowMs: now(), steady };
  }

  #emit(events: readonly EventInput[]): void {
    for (const event of events) {
      const link = failedNode(event);
      if (link !== null) this.emit?.discovery({ component: link.to, links: [link] });
      this.emit?.event(event);
    }
  }

  #failed(error: unknown): string {
    this.#failures += 1;
    return errorText(error);
  }
}
