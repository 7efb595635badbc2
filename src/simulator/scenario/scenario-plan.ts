// From a checked document and a seed to the plan of one run: every time, value and device drawn, every name resolved.

import { parseDuration } from '../../config/quantity.ts';
import { randomStream } from '../random.ts';
import type { Duration, Scalar, ScenarioDocument, SettingsDocument, TimeDocument } from './document.ts';
import { noiseSteps } from './noise.ts';
import { type PlannedChange, type PlannedStep, planChange } from './planned-change.ts';
import { planTruth, type Truth } from './truth.ts';
import { type Finding, type Path, schemaFindings } from './validate.ts';
import { drawDuration, drawGpu, drawVariable, substitute, type Values } from './variables.ts';
import { type PlannedWorld, planWorld } from './world.ts';

export interface ScenarioPlan {
  readonly name: string;
  readonly title: string;
  readonly seed: number;
  readonly durationMs: number;
  /** When the timeline begins, epoch ms; null: nothing of it depends on that. */
  readonly beginsMs: number | null;
  readonly variables: Readonly<Record<string, Scalar>>;
  readonly world: PlannedWorld;
  /** In order of time, noise included. */
  readonly steps: readonly PlannedStep[];
  readonly settings: PlannedSettings;
  /** Share by which readings wander. */
  readonly jitter: number;
  readonly truth: Truth;
}

export interface PlannedSettings {
  readonly latenessMs: number;
  readonly holdMs: number;
  readonly filesystems: readonly string[];
  /** Sources that are switched off. */
  readonly off: readonly string[];
}

/** Of changes that end by themselves, where a scenario does not say. */
const USUAL_LENGTHS: Readonly<Partial<Record<PlannedChange['type'], Duration>>> = {
  agent_restart: '5s',
  reboot: '3m',
  pdu_restart: '20s',
  gpu_reset: '8s',
};

/** The defaults of the configuration. */
const LATENESS = '30s';
const HOLD = '30s';

/** The plan, or what is wrong with the document; `document` has passed the schema. */
export function planScenario(
  document: ScenarioDocument,
  seed: number,
): { plan: ScenarioPlan | null; findings: readonly Finding[] } {
  const findings: Finding[] = [];
  const values = drawVariables(document, seed, findings);
  if (findings.length > 0) return { plan: null, findings };
  const { vary: _, ...rest } = document;
  const drawn: ScenarioDocument = substitute(rest, values, [], findings);
  if (findings.length === 0) findings.push(...schemaFindings(drawn));
  if (findings.length > 0) return { plan: null, findings };

  const world = planWorld(drawn.world, findings);
  const steps = planSteps(drawn, world, seed, findings);
  const truth = planTruth(drawn.truth, steps, world, findings);
  if (findings.length > 0) return { plan: null, findings };
  const durationMs = parseDuration(drawn.duration) ?? 0;
  if (drawn.begins !== undefined && Number.isNaN(Date.parse(drawn.begins)))
    return {
      plan: null,
      findings: [{ code: 'FL5101', path: ['begins'], text: `begins: ${drawn.begins} is not a day and time` }],
    };
  const all = [...steps, ...noiseSteps(drawn.noise ?? {}, world, durationMs, seed)];
  const plan: ScenarioPlan = {
    name: drawn.name,
    title: drawn.title,
    seed,
    durationMs,
    beginsMs: drawn.begins === undefined ? null : Date.parse(drawn.begins),
    variables: Object.fromEntries(values),
    world,
    steps: all.sort((a, b) => a.atMs - b.atMs),
    settings: planSettings(drawn.settings ?? {}),
    jitter: drawn.noise?.jitter ?? 0,
    truth,
  };
  return { plan, findings };
}

function planSettings({
  lateness = LATENESS,
  hold = HOLD,
  filesystems = [],
  off = [],
}: SettingsDocument): PlannedSettings {
  return { latenessMs: parseDuration(lateness) ?? 0, holdMs: parseDuration(hold) ?? 0, filesystems, off };
}

/** All but GPUs first, then the world's GPUs by those, so that a host's name may be drawn as well. */
function drawVariables(document: ScenarioDocument, seed: number, findings: Finding[]): Values {
  const values = new Map<string, Scalar>();
  const entries = Object.entries(document.vary ?? {});
  for (const [name, variable] of entries) {
    if (!('gpu_of' in variable)) values.set(name, drawVariable(seed, name, variable, values, findings));
  }
  for (const [name, variable] of entries) {
    if (!('gpu_of' in variable)) continue;
    const path: Path = ['vary', name, 'gpu_of'];
    const wanted = substitute(variable.gpu_of, values, path, findings);
    const hosts = substitute(document.world.hosts, values, ['world', 'hosts'], findings);
    const gpus = planWorld({ hosts: hosts.filter((host) => host.name === wanted) }, findings).host?.gpus ?? [];
    const gpu = gpus[drawGpu(seed, name, gpus.length, variable.usual)];
    if (gpu === undefined) findings.push({ code: 'FL5107', path, text: `vary.${name}: no host ${wanted} with GPUs` });
    values.set(name, gpu?.address ?? '');
  }
  return values;
}

function planSteps(document: ScenarioDocument, world: PlannedWorld, seed: number, findings: Finding[]): PlannedStep[] {
  const times = new Map<string, number>();
  return document.timeline.flatMap((step, i) => {
    const path: Path = ['timeline', i];
    const atMs = timeOf(step.at, seed, `at ${step.id ?? i}`, times, [...path, 'at'], findings);
    if (step.id !== undefined) times.set(step.id, atMs);
    const host = world.watched.find(({ name }) => name === step.host);
    if (step.host !== undefined && host === undefined) {
      const known = world.watched.map(({ name }) => name).join(', ');
      findings.push({
        code: 'FL5108',
        path: [...path, 'host'],
        text: `no host ${step.host} is watched. Known: ${known}`,
      });
    }
    const change = planChange(step, host === undefined ? world : { ...world, host }, path, findings);
    if (change === null) return [];
    const where = host === undefined ? {} : { host: host.name };
    const lasts = step.for ?? USUAL_LENGTHS[change.type];
    if (lasts === undefined && change.type === 'agent_gap')
      findings.push({ code: 'FL5102', path, text: `timeline[${i}] agent_gap needs for: how long it lasts, like 40s` });
    const forMs = lasts === undefined ? null : (parseDuration(lasts) ?? 0);
    const { times: count, every, jitter } = step.repeat ?? { times: 1, every: '0s' };
    const random = randomStream(seed, `repeat ${step.id ?? i}`);
    const [everyMs, jitterMs] = [every, jitter ?? '0s'].map((text) => parseDuration(text) ?? 0);
    return Array.from({ length: count }, (_, n) => {
      const laterMs = n * (everyMs ?? 0) + Math.round(random() * (jitterMs ?? 0));
      return { id: step.id ?? null, atMs: atMs + laterMs, forMs, change, ...where };
    });
  });
}

function timeOf(
  at: TimeDocument,
  seed: number,
  name: string,
  times: ReadonlyMap<string, number>,
  path: Path,
  findings: Finding[],
): number {
  if (typeof at === 'string') return parseDuration(at) ?? 0;
  let base = 0;
  if (at.after !== undefined) {
    const before = times.get(at.after);
    if (before === undefined) {
      const text = `no step ${at.after} above this one. Known: ${[...times.keys()].join(', ') || 'none'}`;
      findings.push({ code: 'FL5108', path: [...path, 'after'], text });
    }
    base = before ?? 0;
  }
  if (at.by !== undefined) return base + (parseDuration(at.by) ?? 0);
  return base + drawDuration(seed, name, { from: at.from ?? '0s', to: at.to ?? '0s', usual: at.usual ?? '0s' });
}
