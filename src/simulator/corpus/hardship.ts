// Hardship: a plan made harder without changing its truth — a source that is late, and unrelated events that mean nothing.

import { pickOne, type RandomStream, randomStream } from '../random.ts';
import type { PlannedChange, PlannedStep } from '../scenario/planned-change.ts';
import type { ScenarioPlan } from '../scenario/scenario-plan.ts';

/** Within the lateness of the configuration, so that what comes late still counts. */
const LATEST_MS = 10_000;
const LATE_SOURCES: readonly string[] = ['pdu', 'bmc', 'job-log', 'gpu', 'cpu'];
const EVENTS = 5;

/** Things that happen on healthy hosts all the time, each of them info or close to it. */
function distractions(plan: ScenarioPlan): Omit<Extract<PlannedChange, { type: 'event' }>, 'type'>[] {
  const { host, jobs } = plan.world;
  const gpu = host.gpus.at(-1)?.address ?? '0000:df:00.0';
  const job = jobs[0]?.id ?? 'other';
  return [
    { source: 'system', kind: 'memory.ce', component: `dimm/${host.name}/D4` },
    { source: 'kernel-log', kind: 'pcie.corrected', component: 'pcie/0000:ff:00.0' },
    { source: 'pdu', kind: 'power.feed_unreachable', component: 'pdu/pdu-z-rack-20' },
    { source: 'bmc', kind: 'agent.source_failed', component: `host/${host.name}`, severity: 'info' },
    { source: 'gpu', kind: 'power.load_step', component: 'job/other', trust: 'driver' },
    { source: 'gpu', kind: 'gpu.power_cap', component: `gpu/${gpu}`, severity: 'info' },
    { source: 'job-log', kind: 'job.loss_spike', component: `job/${job}` },
    { source: 'job-log', kind: 'job.checkpoint_saved', component: 'job/other' },
    { source: 'kernel-log', kind: 'gpu.driver_notice', component: `gpu/${gpu}` },
    { source: 'kernel-log', kind: 'nic.access_reg_failed', component: 'nic/0000:ee:00.0' },
    { source: 'pdu', kind: 'power.voltage_sag', component: 'pdu_phase/pdu-z-rack-20/1', severity: 'info' },
  ];
}

export function harder(plan: ScenarioPlan): ScenarioPlan {
  const random = randomStream(plan.seed, 'hardship');
  const steps = [...plan.steps, ...lateSource(random), ...unrelated(plan, random)];
  // What is reported late is found late.
  const incidents = plan.truth.incidents.map((wanted) => ({ ...wanted, withinMs: wanted.withinMs + LATEST_MS }));
  return { ...plan, steps: steps.sort((a, b) => a.atMs - b.atMs), truth: { ...plan.truth, incidents } };
}

function lateSource(random: RandomStream): PlannedStep[] {
  const source = pickOne(random, LATE_SOURCES);
  if (source === undefined) return [];
  const by = `${Math.round(random() * LATEST_MS)}ms`;
  return [{ id: null, atMs: 0, forMs: null, change: { type: 'source_late', source, by } }];
}

function unrelated(plan: ScenarioPlan, random: RandomStream): PlannedStep[] {
  const choices = distractions(plan);
  return Array.from({ length: EVENTS }, (): PlannedStep[] => {
    const event = pickOne(random, choices);
    const atMs = Math.round(random() * plan.durationMs);
    return event === undefined ? [] : [{ id: null, atMs, forMs: null, change: { type: 'event', ...event } }];
  }).flat();
}
