// Load watch: the steps in power of the jobs on this host, out of what its GPUs draw each second. A branch that trips or a shelf that
// browns out has the job to name whose step it was.

import { type LoadStep, LoadSteps } from '../detection/load/load-steps.ts';
import type { Identity } from '../identity/identity.ts';
import type { Component } from '../model/component.ts';
import type { EventInput } from '../model/record.ts';
import type { Aggregates, NativeCore } from '../native.ts';

const POWER = /^(gpu\/[^/#]+)#power$/;

export interface LoadWatchDeps {
  readonly host: string;
  readonly core: Pick<NativeCore, 'seriesKeys' | 'stats'>;
  readonly placement: Pick<Identity['placement'], 'workOf'>;
  readonly emit: (event: EventInput) => void;
}

interface Group {
  readonly steps: LoadSteps;
  readonly gpus: Set<string>;
}

export class LoadWatch {
  readonly #deps: LoadWatchDeps;
  /** GPU by id of its series. */
  #gpus = new Map<number, string>();
  #known = -1;
  /** By job; "" for GPUs of which no job is known. */
  readonly #groups = new Map<string, Group>();

  constructor(deps: LoadWatchDeps) {
    this.#deps = deps;
  }

  /** The aggregates of one second. */
  take(aggregates: Aggregates): void {
    this.#learnSeries();
    if (this.#gpus.size === 0) return;
    const sums = new Map<string, { watts: number; timeMs: number; gpus: Set<string> }>();
    for (let i = 0; i < aggregates.ids.length; i += 1) {
      const gpu = this.#gpus.get(aggregates.ids[i] ?? -1);
      if (gpu === undefined || aggregates.count[i] === 0) continue;
      const job = this.#deps.placement.workOf(gpu)?.job ?? '';
      const sum = sums.get(job) ?? { watts: 0, timeMs: 0, gpus: new Set<string>() };
      sum.watts += aggregates.mean[i] ?? 0;
      sum.timeMs = Math.max(sum.timeMs, aggregates.lastTimeMs[i] ?? 0);
      sum.gpus.add(gpu);
      sums.set(job, sum);
    }
    for (const job of this.#groups.keys()) if (!sums.has(job)) this.#groups.delete(job);
    for (const [job, { watts, timeMs, gpus }] of sums) {
      const step = this.#group(job, gpus).steps.take(timeMs, watts);
      if (step !== null) this.#deps.emit(stepEvent(this.#deps.host, job, gpus.size, step));
    }
  }

  /** Other GPUs than before draw something else, and have not stepped. */
  #group(job: string, gpus: ReadonlySet<string>): Group {
    const before = this.#groups.get(job);
    if (before !== undefined && before.gpus.size === gpus.size && [...gpus].every((gpu) => before.gpus.has(gpu)))
      return before;
    const group = { steps: new LoadSteps(), gpus: new Set(gpus) };
    this.#groups.set(job, group);
    return group;
  }

  #learnSeries(): void {
    const { series } = this.#deps.core.stats();
    if (series === this.#known) return;
    this.#known = series;
    this.#gpus = new Map(
      this.#deps.core.seriesKeys().flatMap((key, id) => {
        const gpu = POWER.exec(key)?.[1];
        return gpu === undefined ? [] : [[id, gpu] as const];
      }),
    );
  }
}

function stepEvent(host: string, job: string, gpus: number, step: LoadStep): EventInput {
  const { earliestMs, latestMs, rampS, periodS } = step;
  const [before, after] = [Math.round(step.before), Math.round(step.after)];
  const component: Component = job === '' ? { type: 'host', id: host, host } : { type: 'job', id: job };
  const what = job === '' ? `${gpus} GPUs` : `job ${job} on ${gpus} GPUs`;
  const text =
    periodS === null
      ? `${what}: ${before} → ${after} W in ${rampS} s`
      : `${what}: swings between ${before} and ${after} W every ${periodS} s`;
  return {
    kind: 'power.load_step',
    component,
    state: 'point',
    timeMs: latestMs,
    interval: { earliestMs, latestMs },
    observedMs: latestMs,
    trust: 'driver',
    source: 'gpu',
    attributes: { quantity: 'power', before, after, unit: 'W', ramp_s: rampS, period_s: periodS, gpus },
    evidence: [{ source: 'gpu', timeMs: latestMs, text }],
    discriminator: `${job} ${latestMs}`,
  };
}
