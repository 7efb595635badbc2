// The texts of an accuracy run: kernel log lines and the job's own log, as their sources hand them over.

import { LOG_READ_EVERY_MS, logRead } from '../../model/log-read.ts';
import { jobDiscoveries } from '../../sources/job-log/discovery.ts';
import { recordText } from '../../sources/kernel-log/kernel-log-source.ts';
import { lastLines, type Numbers, progressLine } from '../rack/fake-job.ts';
import { xidLine } from '../rack/fake-kernel-log.ts';
import { launcherLines } from '../rack/launcher-lines.ts';
import { XID_TEXT } from '../rack/xid-text.ts';
import { jitter, type RandomStream } from '../random.ts';
import type { PlannedChange } from '../scenario/planned-change.ts';
import type { PlannedJob } from '../scenario/world.ts';
import type { Cancel } from '../scenario-clock.ts';
import { KernelRing } from './served/kernel-ring.ts';
import { LogFile } from './served/log-file.ts';
import { type Actor, inForce, poll, type Stage, wallAheadMs } from './stage.ts';

/** After these the job makes no more steps. */
const STOPS = ['job_hang', 'job_end', 'rank_end'] as const;
const KMSG = '/dev/kmsg';
/** How long the host was up when the run began. */
const UP_BEFORE_MS = 86_400_000;

export class KernelLog implements Actor {
  readonly #stage: Stage;
  readonly #ring = new KernelRing();

  constructor(stage: Stage) {
    this.#stage = stage;
  }

  start(): void {
    this.#write('Linux version 6.8.0-48-generic (simulated rack)', 5);
  }

  begin(change: PlannedChange): void {
    if (change.type === 'kernel_line') this.#write(change.text, change.priority, change.facility);
    if (change.type === 'xid') for (const gpu of change.gpus) this.#xid(gpu, change.number, change.text);
    if (change.type !== 'gpu_lost') return;
    for (const gpu of change.gpus) {
      this.#xid(gpu, 79);
      this.#write(`NVRM: GPU ${this.#address(gpu)}: GPU has fallen off the bus.`, 3);
    }
  }

  #xid(gpu: number, number: number, text = XID_TEXT[number] ?? 'Unknown error'): void {
    this.#write(xidLine(this.#address(gpu), number, text), 4);
  }

  #address(gpu: number): string {
    return this.#stage.plan.world.host.gpus[gpu]?.address ?? '';
  }

  /** A line of user space is a tenant's word, where it is read at all. */
  #write(text: string, priority = 6, facility = 0): void {
    const nowMs = this.#stage.now();
    const record = this.#ring.append(text, priority, facility, nowMs, nowMs - this.#stage.clock.now() - UP_BEFORE_MS);
    if (record !== null) this.#stage.emit.text(recordText(record, KMSG));
  }
}

export class JobLog implements Actor {
  readonly #stage: Stage;
  readonly #job: PlannedJob;
  readonly #random: RandomStream;
  readonly #file: LogFile;
  #iteration: number;
  #factor = 1;
  #slowRank: { readonly rank?: number; readonly factor: number } | null = null;
  #cancel: Cancel | null = null;
  #ended = false;
  /** Written and not yet in the file; null while every line goes there at once. */
  #held: string[] | null = null;

  constructor(stage: Stage, job: PlannedJob) {
    this.#stage = stage;
    this.#job = job;
    this.#random = stage.random(`job ${job.id}`);
    this.#file = new LogFile(stage.random(`file ${job.id}`));
    this.#iteration = 100 + Math.floor(this.#random() * 400);
  }

  start(): void {
    this.#find();
    this.#step();
    poll(this.#stage, `log of ${this.#job.id}`, LOG_READ_EVERY_MS, (nowMs) =>
      this.#stage.emit.samples(logRead('job-log', this.#job.id, nowMs)),
    );
  }

  /** A reboot ends the job with its processes. */
  restart(rebooted: boolean): void {
    this.#find();
    if (rebooted) this.#ended = true;
  }

  #find(): void {
    const { id, framework, ranks, worldSize } = this.#job;
    const config = { job: id, path: this.#path, framework, ranks, worldSize };
    for (const discovery of jobDiscoveries(config, this.#stage.plan.world.host.name))
      this.#stage.emit.discovery(discovery);
  }

  begin(change: PlannedChange): void {
    if (change.type === 'job_line' && change.job === this.#job.id) this.#write(change.text);
    if (change.type === 'job_end' && change.job === this.#job.id)
      for (const line of lastLines(this.#job, this.#wall())) this.#write(line);
    if (change.type === 'rank_end' && change.job === this.#job.id)
      for (const line of launcherLines(change, this.#job, this.#stage.plan.world.host.name, this.#wall()))
        this.#write(line);
  }

  changed(): void {
    const mine = (change: { readonly job: string }): boolean => change.job === this.#job.id;
    this.#hold(inForce(this.#stage.inForce, 'job_buffered').some(mine));
    const slow = inForce(this.#stage.inForce, 'job_slowdown').filter(mine);
    this.#factor = slow.filter(({ rank }) => rank === undefined).at(-1)?.factor ?? 1;
    this.#slowRank = slow.filter(({ rank }) => rank !== undefined).at(-1) ?? null;
    const reboots = inForce(this.#stage.inForce, 'reboot').length > 0;
    const stops = STOPS.some((type) => inForce(this.#stage.inForce, type).some(mine));
    if (this.#ended || reboots || stops) {
      this.#cancel?.();
      this.#cancel = null;
    } else if (this.#cancel === null) this.#step();
  }

  get #path(): string {
    return `/logs/${this.#job.id}.log`;
  }

  #step(): void {
    const stepMs = jitter(this.#random, this.#job.stepTimeMs * this.#factor, this.#stage.plan.jitter * 5);
    const { clock } = this.#stage;
    this.#cancel = clock.at(clock.now() + stepMs, () => {
      this.#iteration += 1;
      this.#tell(stepMs);
      this.#step();
    });
  }

  #tell(stepMs: number): void {
    const { id } = this.#job;
    const numbers: Numbers = Object.assign(
      {},
      ...inForce(this.#stage.inForce, 'job_numbers').filter(({ job }) => job === id),
    );
    const line = (ms: number): string =>
      progressLine(this.#job, this.#iteration, ms, this.#random, this.#wall(), numbers);
    if (!this.#job.everyRank) {
      this.#write(line(stepMs));
      return;
    }
    const slow = this.#slowRank;
    for (const rank of this.#job.ranks)
      this.#write(`[rank${rank}]:${line(slow?.rank === rank ? stepMs * slow.factor : stepMs)}`);
  }

  #wall(): Date {
    return new Date(this.#stage.now() + wallAheadMs(this.#stage));
  }

  #hold(holds: boolean): void {
    const held = this.#held ?? [];
    this.#held = holds ? held : null;
    if (!holds) for (const text of held) this.#write(text);
  }

  #write(text: string): void {
    if (this.#held !== null) {
      this.#held.push(text);
      return;
    }
    const { id, framework } = this.#job;
    for (const line of this.#file.append(text))
      this.#stage.emit.text({
        source: 'job-log',
        trust: 'tenant',
        stream: `job/${id}:${this.#path}`,
        position: line.offset,
        timeMs: null,
        timeDigits: 3,
        observedMs: this.#stage.now(),
        text: line.text,
        attributes: { job: id, path: this.#path, framework },
      });
  }
}
