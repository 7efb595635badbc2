// Detection: samples go through the native detectors, text through the decoders; events come out.

import { remember } from '../helpers/remember.ts';
import { Identity } from '../identity/identity.ts';
import { clockJumpOf } from '../model/clock-jump.ts';
import { type Component, type ComponentType, componentText } from '../model/component.ts';
import type { FaultEvent, Trust } from '../model/event.ts';
import { hasRole, type Kind } from '../model/kind.ts';
import { isLogRead } from '../model/log-read.ts';
import { parseSeriesKey } from '../model/reading.ts';
import type { Discovery, EventInput, SampleBatch, TextRecord } from '../model/record.ts';
import type { DetectorEdge, NativeCore } from '../native.ts';
import { KEPT_LIVE, LevelShift } from './job/level-shift.ts';
import { LossWatch } from './job/loss-watch.ts';
import { PeerGroups } from './job/peer-groups.ts';
import { BUSY, ProgressWatch } from './job/progress-watch.ts';
import { RankSpeeds } from './job/rank-speeds.ts';
import { SaveWatch } from './job/save-watch.ts';
import { SpeedGates } from './job/speed-gates.ts';
import { PushedSeries } from './pushed-series.ts';
import { During } from './rules/during.ts';
import { edgeEvent } from './rules/edge-event.ts';
import { LeftBehind } from './rules/left-behind.ts';
import { Overlaps } from './rules/overlaps.ts';
import { plausible, Returns } from './rules/plausible.ts';
import type { DetectionRule } from './rules/rule.ts';
import { WorstTraces } from './rules/worst-traces.ts';
import type { StepSeen } from './text/job/decoded.ts';
import type { UserLine } from './text/job/user-lines.ts';
import { type TextDecoded, TextDetection } from './text/text-detection.ts';
import { UnderstoodLines } from './text/understood.ts';
import { DeviceClasses } from './user-rules/device-classes.ts';
import { type InForce, UNCHANGED } from './user-rules/in-force.ts';
import { OpenEdges } from './user-rules/open-edges.ts';
import type { RulesConfig } from './user-rules/resolve.ts';
import { RuleBook } from './user-rules/rule-book.ts';
import { ruleAttributes, type UserRule } from './user-rules/user-rule.ts';

/** Who reads the series of a component type where native code samples it, and how far that can be trusted. */
export type NativeOrigins = { readonly [T in ComponentType]?: Origin };

interface Origin {
  readonly source: string;
  readonly trust: Trust;
}

/** What is written of a save that was under way comes no more. */
const RESTARTS: ReadonlySet<Kind> = new Set([
  'job.started',
  'job.ended',
  'job.cancelled',
  'job.preempted',
  'job.requeued',
]);

/** After these its log stays silent, and no silence is a hang: what is busy on its GPUs is the next job. */
const ENDS: ReadonlySet<Kind> = new Set(['job.ended', 'job.cancelled', 'job.preempted']);

/** Settings are read once a minute. */
const SETTING_WINDOW_MS = 300_000;
/** Long enough to hold a sample at the slowest rate. */
const BUSY_WINDOW_MS = 5_000;
/** More devices than a host holds. */
const MOST_MODELS = 2048;

/** An event, and whether what caused it was handed to `samples` or `text` (then a replay finds it again by itself). */
export interface Detected {
  readonly event: EventInput;
  readonly derived: boolean;
  /** The native edge that it was made of. */
  readonly edge?: DetectorEdge;
}

/** What detection asks of the native core. */
export type DetectionCore = Pick<
  NativeCore,
  'setDetectors' | 'setPeerGroup' | 'series' | 'seriesKeys' | 'push' | 'history'
>;

export interface DetectionOptions {
  readonly origins?: NativeOrigins;
  /** Detectors and rules of the site. Left out: what is built in. */
  readonly rules?: RulesConfig;
  /** What is known of this host; whoever made it teaches it. Left out: nothing. */
  readonly identity?: Identity;
  /** Nothing is known of the host but its logs: that a job still runs, only its own lines say. */
  readonly logsAlone?: boolean;
  /** Called with the steps that a job's lines report. */
  readonly onSteps?: (steps: readonly StepSeen[]) => void;
  /** Settings of devices with what an earlier run knew of them. Left out: nothing. */
  readonly settings?: LeftBehind;
}

export class Detection {
  /** Which lines of jobs meant something. */
  readonly lines = new UnderstoodLines();
  readonly #core: DetectionCore;
  readonly #host: string;
  readonly #text: TextDetection;
  readonly #progress = new ProgressWatch();
  readonly #saves = new SaveWatch();
  readonly #losses = new LossWatch();
  readonly #shifts: LevelShift;
  readonly #ranks: RankSpeeds;
  readonly #gates: SpeedGates;
  readonly #returns = new Returns();
  readonly #overlaps = new Overlaps();
  readonly #during: During;
  readonly #leftBehind: LeftBehind;
  readonly #peers: PeerGroups;
  readonly #traces = new WorstTraces();
  readonly #rules = new Map<string, DetectionRule>();
  readonly #classes: DeviceClasses;
  /** Models of devices, by component text, as sources found them. */
  readonly #models = new Map<string, string>();
  readonly #openEdges = new OpenEdges();
  readonly #book: RuleBook;
  readonly #pushed: PushedSeries;

  readonly #origins: ReadonlyMap<string, Origin>;
  readonly #onSteps: DetectionOptions['onSteps'];
  readonly #logsAlone: boolean;
  readonly #identity: Identity;

  constructor(core: DetectionCore, host: string, options: DetectionOptions = {}) {
    const { origins = {}, rules = NO_RULES, identity = new Identity(host) } = options;
    this.#onSteps = options.onSteps;
    this.#logsAlone = options.logsAlone === true;
    this.#shifts = new LevelShift(this.#logsAlone ? undefined : KEPT_LIVE);
    this.#core = core;
    this.#identity = identity;
    this.#ranks = new RankSpeeds(identity.ranks);
    this.#origins = new Map(Object.entries(origins));
    this.#host = host;
    this.#text = new TextDetection(host, (job, label) => identity.ranks.rankOf(job, label));
    this.#pushed = new PushedSeries(core, (name, what) => this.#text.isClaimed(name, what));
    this.#leftBehind = options.settings ?? new LeftBehind(host);
    this.#gates = new SpeedGates([], (job) => this.#ranks.of(job));
    this.#during = new During(rulesForAll(rules));
    this.#peers = new PeerGroups(core, identity.placement);
    this.#classes = new DeviceClasses((component) => this.#models.get(component) ?? null);
    this.#book = new RuleBook(host, {
      keys: () => core.seriesKeys(),
      newest: (key, afterMs, nowMs) => core.history(key, afterMs, nowMs).timesMs.at(-1) ?? null,
    });
    this.rules(rules, 0);
  }

  /** The lines of jobs that the configuration describes, from now on. */
  expectLines(lines: readonly UserLine[]): void {
    this.#text.expectLines(lines);
  }

  /** Detectors and rules from now on; returns the ends of what those reported that are not there any more. */
  rules({ rules, detectors }: RulesConfig, nowMs: number): Detected[] {
    const own = rules.flatMap(thresholdOf);
    const running = [...detectors.filter(({ enabled }) => enabled), ...own];
    this.#gates.rules(rulesForAll({ detectors }));
    const before = new Map(this.#rules);
    this.#rules.clear();
    for (const { rule } of running) this.#rules.set(rule.spec.name, rule);
    // One that is off for some models still takes them from the one for all.
    const classes = [...detectors, ...own].map(({ rule: { spec }, models }) => ({
      detector: spec.name,
      name: baseName(spec.name),
      models,
    }));
    this.#classes.set(classes);
    this.#core.setDetectors(running.map(({ rule }) => rule.spec));
    const gone = this.#openEdges
      .gone(before, this.#rules, nowMs)
      .flatMap(({ rule, edge }) => this.#edgeEvent(rule, edge, nowMs) ?? []);
    return [...gone, ...this.#book.set(rules, nowMs)].map((event) => ({ event, derived: true }));
  }

  /** A source found a device, or found it again. */
  discovered({ component, attributes }: Discovery): void {
    const model = attributes?.model;
    if (typeof model === 'string') remember(this.#models, componentText(component), model, MOST_MODELS);
  }

  /** What rules of the site say to an event that came out of the pipeline. */
  ruled(event: FaultEvent): Detected[] {
    return this.#book.event(event).map((made) => ({ event: made, derived: true }));
  }

  /** Whether silence itself may be reported. */
  get watchesSilence(): boolean {
    return this.#book.waiting;
  }

  /** Identity learned something: which GPUs are peers follows from what runs where. */
  learned(): void {
    this.#peers.refresh();
  }

  /** Takes an event, whichever source reported it. */
  heard(event: EventInput): void {
    if (ENDS.has(event.kind) && event.component?.type === 'job') this.#progress.ended(event.component, event.timeMs);
    this.#leftBehind.heard(event);
    const jump = clockJumpOf(event);
    if (jump !== null) this.#text.clockJump(jump);
    this.#peers.refresh();
  }

  /** Hands samples to the native detectors; their edges are in the core's next drain. */
  samples(batch: SampleBatch): void {
    if (isLogRead(batch)) {
      for (const [at, key] of batch.keys.entries()) {
        const { component } = parseSeriesKey(key);
        // A line that waits for its rest may be a step.
        const spoke = (batch.values[at] ?? 0) > 1 && !this.attends('job', component.slice('job/'.length));
        this.#progress.read(component, batch.timesMs[at] ?? Number.NaN, spoke);
      }
      return;
    }
    this.#gates.samples(batch);
    this.#traces.take(batch);
    this.#pushed.push(plausible(batch), false);
  }

  /** Keeps samples for evidence only: what the detectors say of them is dropped. */
  background(batch: SampleBatch): void {
    this.#pushed.push(batch, true);
  }

  text(record: TextRecord): Detected[] {
    const decoded = this.#text.decode(record);
    const { steps, events, pauses } = decoded;
    this.lines.take(record, steps.length, events.length + pauses.length, steps[0]?.progress.framework);
    const detected = this.#decoded(decoded);
    if (decoded.job !== null) this.#followed(decoded.job, decoded, record.observedMs);
    return detected;
  }

  /** What a line says of whether its job still runs. */
  #followed(job: Component, { steps, events }: TextDecoded, timeMs: number): void {
    if (steps.length > 0) {
      this.#shifts.steps(job, steps);
      if (!this.#logsAlone) this.#progress.stepped(job, timeMs);
    } else if (this.#logsAlone) this.#progress.spoke(job, timeMs);
    const last = steps.some(
      ({ progress: { iteration, target_iteration: target } }) => target !== null && (iteration ?? 0) >= target,
    );
    if (!(last || events.some(({ kind }) => RESTARTS.has(kind) || hasRole(kind, 'job_affected')))) return;
    if (this.#logsAlone) this.#progress.over(job);
    else this.#progress.rests(job);
  }

  #decoded({ job, steps, events, samples, pauses, ranks, workChanged }: TextDecoded): Detected[] {
    if (steps.length > 0) this.#onSteps?.(steps);
    if (workChanged !== null) this.#gates.workChanged(workChanged);
    this.#gates.events(events);
    for (const pause of pauses) {
      this.#gates.pause(pause);
      this.#progress.pause(pause);
      this.#saves.pause(pause);
    }
    for (const event of events) {
      this.#progress.timedOut(event);
      if (hasRole(event.kind, 'job_affected')) this.#progress.failed(event);
    }
    for (const { kind, component, timeMs } of events)
      if (RESTARTS.has(kind) && component !== null) {
        this.#saves.restarted(component, timeMs);
        if (ENDS.has(kind)) this.#progress.ended(component, timeMs);
      }
    const ofRanks = ranks === null ? null : this.#ranks.samples(ranks.job.id, ranks.steps);
    if (ofRanks !== null) this.samples(ofRanks);
    if (samples !== null) {
      this.samples(samples);
      this.#progress.samples(samples);
    }
    const losses = job === null || steps.length === 0 ? [] : this.#losses.steps(job, steps);
    const paused = this.#gates.takePauses();
    if (events.length + losses.length + paused.length === 0) return [];
    return [...events, ...losses, ...paused].map((event) => ({ event, derived: true }));
  }

  /** What the lines of this job or service began needs the next ones, whatever words they have. */
  attends(of: 'job' | 'service', name: string): boolean {
    return this.#text.attends(name, of);
  }

  /** What only the passing of time shows: repeats that were held back, jobs that fell silent. */
  settle(nowMs: number): Detected[] {
    const silent = this.#logsAlone
      ? this.#progress.settleByWords()
      : this.#progress.settle(nowMs, {
          busy: (atMs) => this.#gpusBusy(atMs),
          lifeOf: (job) => this.#identity.lifeOf(job),
          wholeLog: (job) => this.#shifts.endOf(job),
        });
    const left = this.#leftBehind.settle(
      nowMs,
      (key) => this.#core.history(key, nowMs - SETTING_WINDOW_MS, nowMs).values.at(-1) ?? null,
    );
    return [
      ...this.#text.settle(nowMs),
      ...silent,
      ...this.#saves.settle(nowMs),
      ...left,
      ...this.#book.settle(nowMs),
    ].map((event) => ({
      event,
      derived: true,
    }));
  }

  /** The input is over: what was held back. */
  finish(): Detected[] {
    const ended = this.#text.end().flatMap((decoded) => this.#decoded(decoded));
    const waited = this.#text.settle(Number.POSITIVE_INFINITY).map((event) => ({ event, derived: true }));
    const shifted = this.#shifts.end().map((event) => ({ event, derived: true }));
    return [...ended, ...waited, ...shifted];
  }

  /** Whether `settle` may have something to report though nothing new is heard. */
  get waiting(): boolean {
    return (
      this.#book.waiting ||
      this.#text.waiting ||
      this.#progress.waiting ||
      this.#saves.waiting ||
      this.#leftBehind.waiting
    );
  }

  /** Null where nothing of that time is read, or nothing of it is here yet. */
  #gpusBusy(atMs: number): boolean | null {
    const keys = this.#core.seriesKeys().filter((key) => key.startsWith('gpu/') && key.endsWith('#utilization'));
    let unread = true;
    for (const key of keys) {
      const { values } = this.#core.history(key, atMs - BUSY_WINDOW_MS, atMs);
      if (values.length === 0) continue;
      unread = false;
      if (values.reduce((sum, value) => sum + value, 0) / values.length >= BUSY) return true;
    }
    return unread ? null : false;
  }

  edges(edges: readonly DetectorEdge[], observedMs: number): Detected[] {
    const found: Detected[] = [];
    for (const { edge, spread } of this.#gates.pass(edges)) {
      const rule = this.#rules.get(edge.detector);
      if (rule === undefined || this.#originOf(edge.key) === null || !this.#classes.passes(edge)) continue;
      if (this.#returns.isReturn(rule.kind, edge) || this.#overlaps.continues(rule, edge)) continue;
      const made = this.#edgeEvent(rule, edge, observedMs);
      if (made === null) continue;
      this.#openEdges.take(rule, edge);
      const event = this.#during.graded(rule, made);
      this.#leftBehind.take(event);
      const traces = this.#traces.of(edge.key, edge.edge === 'onset' ? edge.timeMs : 0);
      const more = { ...(spread === null ? {} : { spread }), ...(traces === null ? {} : { worst_traces: traces }) };
      const reported = { ...event, attributes: { ...event.attributes, ...more } };
      found.push({ event: reported, derived: this.#pushed.get(edge.key) !== undefined, edge });
    }
    for (const event of this.#gates.takePauses()) found.push({ event, derived: true });
    return found;
  }

  /** Who reads the series; null where nothing here does, and of samples that are kept for evidence only. */
  #originOf(key: string): Origin | null {
    const pushed = this.#pushed.get(key);
    const origin = pushed ?? this.#origins.get(parseSeriesKey(key).component.split('/', 1)[0] ?? '');
    return origin === undefined || pushed?.silent === true ? null : origin;
  }

  #edgeEvent(rule: DetectionRule, edge: DetectorEdge, observedMs: number): EventInput | null {
    const origin = this.#originOf(edge.key);
    if (origin === null) return null;
    return edgeEvent(rule, edge, {
      host: this.#host,
      source: origin.source,
      trust: origin.trust,
      observedMs,
      history: (key, fromMs, toMs) => this.#core.history(key, fromMs, toMs),
    });
  }
}

const NO_RULES: RulesConfig = { rules: [], detectors: UNCHANGED };

/** Those that are not for some models alone: of a job no model is known. */
function rulesForAll({ detectors }: Pick<RulesConfig, 'detectors'>): DetectionRule[] {
  return detectors.flatMap(({ rule, models }) => (models.length === 0 ? [rule] : []));
}

/** A threshold of the site is a detector like the others. */
function thresholdOf({ name, title, advice, condition, origin }: UserRule): InForce[] {
  if (condition.is !== 'threshold') return [];
  const attributes = ruleAttributes({ name, title, advice });
  return [{ rule: { ...condition.detector, attributes }, models: condition.models, enabled: true, origin }];
}

/** Entries of one detector for several models are `name@1`, `name@2`. */
function baseName(detector: string): string {
  return detector.replace(/@\d+$/, '');
}
