// Pipeline: from what sources emit to incidents; the daemon, replay and demo are this with other sources.

import { Correlator } from '../correlation/correlator.ts';
import { type Detected, Detection } from '../detection/detection.ts';
import type { UserLine } from '../detection/text/job/user-lines.ts';
import type { LineCount } from '../detection/text/understood.ts';
import type { RulesConfig } from '../detection/user-rules/index.ts';
import { remember } from '../helpers/remember.ts';
import { Identity } from '../identity/identity.ts';
import { IncidentBook } from '../incidents/lifecycle.ts';
import { StaleIncidents } from '../incidents/stale-incidents.ts';
import type { FaultEvent } from '../model/event.ts';
import { type Explanation, priced } from '../model/explanation.ts';
import { incidentId } from '../model/identity.ts';
import type { GpuHourRate, Incident } from '../model/incident.ts';
import { apart, markEvent } from '../model/made.ts';
import { makeEvent } from '../model/make-event.ts';
import { markExplanation } from '../model/mark.ts';
import type { Discovery, Emit, EventInput, SampleBatch, TextRecord } from '../model/record.ts';
import type { StageReport } from '../model/stage.ts';
import type { Link } from '../model/topology.ts';
import type { Whose } from '../model/whose.ts';
import type { OnWork } from '../model/work.ts';
import type { DetectorEdge } from '../native.ts';
import { nativeOrigins } from '../sources/native-origins.ts';
import type { RecordedWork } from '../sources/recording/format.ts';
import { SOURCES } from '../sources/registry.ts';
import type { TextWatch } from '../sources/services.ts';
import { NativeTurns } from './native-turns.ts';
import type { PipelineOptions } from './pipeline-options.ts';

/** As often as native code looks at the clocks. */
const LOOK_MS = 100;
/** Events that may repeat of which it is kept whose they were. */
const MOST_WHOSE_EVENTS = 4096;

export class Pipeline implements Emit {
  readonly #options: PipelineOptions;
  readonly #detection: Detection;
  readonly #correlator: Correlator;
  readonly #book: IncidentBook;
  readonly #identity: Identity;
  readonly #onWork: OnWork;
  readonly #staleIncidents: StaleIncidents;
  /** By event id. */
  readonly #whose = new Map<string, readonly Whose[]>();
  #lookedMs = Number.NEGATIVE_INFINITY;
  #gpuHourRate: GpuHourRate | null;
  readonly #turns: NativeTurns;

  constructor(options: PipelineOptions) {
    // What an earlier run left is taken up below; kept with the options it would stay in memory for good.
    this.#options = { ...options, restored: [], plans: [], causes: [], closed: [], past: [] };
    this.#onWork = options.onWork ?? null;
    this.#gpuHourRate = options.gpuHourRate ?? null;
    this.#identity = options.identity ?? new Identity(options.host, { now: options.now });
    const { recorder, now } = options;
    if (recorder != null) {
      recorder.work(this.#identity.work.view(), now());
      this.#identity.work.onView((view) => recorder.work(view, now()));
    }
    const origins = nativeOrigins(SOURCES);
    const { onSteps } = options;
    this.#detection = new Detection(options.core, options.host, {
      origins,
      identity: this.#identity,
      ...(options.rules === undefined ? {} : { rules: options.rules }),
      ...(onSteps === undefined ? {} : { onSteps }),
      ...(options.settings === undefined ? {} : { settings: options.settings }),
    });
    this.#correlator = new Correlator({
      host: options.host,
      names: this.#identity.aliases,
      latenessMs: options.latenessMs,
      holdMs: options.holdMs,
      reading: (key) => this.#lastReading(key),
      ...(options.adviseOnWords === undefined ? {} : { adviseOnWords: options.adviseOnWords }),
      ...(options.watches === undefined ? {} : { watches: options.watches }),
      ...(options.repeats === undefined ? {} : { repeats: options.repeats }),
      ...(options.pastEvents === undefined ? {} : { pastEvents: options.pastEvents }),
    });
    this.#turns = new NativeTurns(options.core, {
      onEdges: (edges) => this.#take(this.#detection.edges(edges, now())),
      ...(options.onNative === undefined ? {} : { onNative: options.onNative }),
      ...(options.caught === undefined ? {} : { caught: options.caught }),
    });
    this.#book = new IncidentBook(options.host, options.restored ?? [], options.closed ?? [], options.past ?? []);
    this.configured(options.links);
    this.#staleIncidents = new StaleIncidents(options.restored ?? []);
    const { restored = [], plans = [], causes = [] } = options;
    if (restored.length + plans.length + causes.length > 0)
      this.#explain(this.#correlator.restore(restored, { events: plans, causes, nowMs: options.now() }));
  }

  /** Links that the configuration has. */
  configured(links: readonly Link[]): void {
    for (const link of links) {
      this.#identity.configured(link);
      this.#correlator.link(link);
    }
    this.#detection.learned();
  }

  /** Links that the configuration has no more. */
  unconfigured(links: readonly Link[]): void {
    for (const link of links) {
      this.#identity.unconfigured(link);
      this.#correlator.unlink(link);
    }
    this.#detection.learned();
  }

  /** How long is waited for late events, and until what is over counts as over: from now on. */
  wait(times: Pick<PipelineOptions, 'latenessMs' | 'holdMs'>): void {
    this.#correlator.wait(times);
  }

  /** What a GPU-hour costs, from the next revision of each incident on. */
  price(rate: GpuHourRate | null): void {
    this.#gpuHourRate = rate;
  }

  /**
   * Resolves the incidents of an earlier run of which nothing was seen since: what would report their end was lost with
   * the detectors' memory, and an incident that nothing supports must not stay open for ever.
   */
  resolveStale(nowMs: number): void {
    for (const id of this.#staleIncidents.giveUp(nowMs)) {
      const incident = this.#book.resolve(id, nowMs);
      if (incident !== null) this.#report(incident);
    }
  }

  samples(batch: SampleBatch): void {
    this.#options.recorder?.samples(batch, this.#options.now());
    this.#detection.samples(batch);
    this.#options.onSamples?.(batch);
    this.drain();
  }

  text(record: TextRecord): void {
    // A step of the wall clock must be known before a line that was stamped after it.
    if (record.timeMs === null && record.observedMs - this.#lookedMs >= LOOK_MS) {
      this.#lookedMs = record.observedMs;
      this.drain();
    }
    this.#options.recorder?.text(record, this.#options.now());
    this.#take(this.#detection.text(record));
    this.drain();
  }

  event(input: EventInput): void {
    this.#recordWork();
    this.#options.recorder?.event(input, this.#options.now());
    this.#observe(input);
  }

  discovery(discovery: Discovery): void {
    this.#options.recorder?.discovery(discovery, this.#options.now());
    this.#identity.learn(discovery);
    this.#detection.discovered(discovery);
    this.#detection.learned();
    for (const link of discovery.links) this.#correlator.link(link);
    this.#options.onDiscovery?.(discovery);
  }

  /** Samples that native code took, from a recording: kept for evidence, past the detectors (their events are recorded). */
  background(batch: SampleBatch): void {
    this.#detection.background(batch);
    this.drain();
  }

  /** Whose work is on the host, from a recording. */
  work(work: RecordedWork): void {
    this.#identity.work.play(work);
  }

  /** Whose an event is must be in the recording before it. */
  #recordWork(): void {
    if (this.#options.recorder != null) this.#identity.work.view();
  }

  /** Takes what native code has: edges become events, records and notices go to the sources that read them. */
  drain(): void {
    this.#turns.drain();
  }

  /** Lets event time pass: endings, verdicts that waited for late evidence. */
  advance(nowMs: number): void {
    this.#take(this.#detection.settle(nowMs));
    const startMs = this.#workStartMs();
    this.#explain(this.#correlator.advance(nowMs), startMs);
    for (const incident of this.#book.livedOn(nowMs)) this.#report(incident);
  }

  /** Ends every open incident as it is: what it was about is over, and no source will report that. */
  resolveOpen(nowMs: number): void {
    this.reportWaiting();
    for (const { id } of this.#book.open()) {
      const incident = this.#book.resolve(id, nowMs);
      if (incident !== null) this.#report(incident);
    }
  }

  /** Which lines of jobs and services are wanted besides those with a word of some rule. */
  readonly textWatch: TextWatch = {
    attends: (of, name) => this.#detection.attends(of, name),
    passed: (of, name, lines) => {
      if (of === 'job') this.#detection.lines.passed(name, lines);
    },
  };

  /** Detectors and rules of the site, from now on: what those reported that are gone is over. */
  rules(rules: RulesConfig): void {
    this.#take(this.#detection.rules(rules, this.#options.now()));
  }

  /** Whether a rule of the site waits for silence. */
  get watchesSilence(): boolean {
    return this.#detection.watchesSilence;
  }

  /** The lines of jobs that the configuration describes, from now on. */
  readonly expectLines = (lines: readonly UserLine[]): void => this.#detection.expectLines(lines);

  /** What came of the lines of a job's log so far. */
  linesOf(job: string): Readonly<LineCount> | undefined {
    return this.#detection.lines.of(job);
  }

  /** What the next run must know besides the open incidents. */
  remembered(): readonly FaultEvent[] {
    return this.#correlator.remembered();
  }

  /** What is over, and the next run must know as the cause of what follows. */
  rememberedCauses(): readonly FaultEvent[] {
    return this.#correlator.rememberedCauses();
  }

  /** Whether something is explained for a time only, so that time has to pass. */
  get explainsForATime(): boolean {
    return this.#correlator.waiting || this.#book.waiting;
  }

  /** Whether the passing of time alone may still lead to an event. */
  get waiting(): boolean {
    return this.#detection.waiting;
  }

  /** The input is over: what was held back is reported. */
  finish(): void {
    this.#take(this.#detection.finish());
    this.drain();
    this.#explain(this.#correlator.publishWaiting(true));
  }

  /** The run ends, the host continues: what changed a moment ago and is not reported yet is reported. */
  reportWaiting(): void {
    this.#explain(this.#correlator.publishWaiting());
  }

  #take(detected: readonly Detected[]): void {
    for (const { event, derived, edge } of detected) {
      this.#recordWork();
      if (!derived) this.#options.recorder?.event(event, this.#options.now());
      this.#observe(event, edge);
    }
  }

  #observe(input: EventInput, edge?: DetectorEdge): void {
    this.#identity.heard(input);
    this.#detection.heard(input);
    const component = this.#identity.resolve(input.component);
    const { host, made = null } = this.#options;
    const event = this.#withWhose(markEvent(makeEvent(host, apart({ ...input, component }, made)), made));
    this.#staleIncidents.saw(event, (id) => this.#correlator.continues(id));
    this.#detected(event, edge);
    this.#options.onEvent(event);
    const startMs = this.#workStartMs();
    this.#explain(this.#correlator.observe(event), startMs, event.id);
    const dueMs = this.#correlator.publishesAtMs;
    if (dueMs < Number.POSITIVE_INFINITY) this.#options.onDue?.(dueMs);
    this.#take(this.#detection.ruled(event));
    for (const incident of this.#book.lived(event)) this.#report(incident);
  }

  /** What this daemon did about an incident itself, or did not. */
  acted(report: StageReport): void {
    for (const incident of this.#book.acted(report)) this.#report(incident);
  }

  /** A repeat of an event comes under its id: whose it was is what was known when it came first. */
  #withWhose(event: FaultEvent): FaultEvent {
    const whose = this.#whose.get(event.id) ?? this.#identity.whose.of(event);
    if (whose.length === 0) return event;
    remember(this.#whose, event.id, whose, MOST_WHOSE_EVENTS);
    return { ...event, whose };
  }

  #explain(explanations: readonly Explanation[], startMs = this.#workStartMs(), eventId?: string): void {
    for (const explanation of explanations) {
      const { firstEventId, mergedInto, events } = explanation;
      const id = incidentId(this.#options.host, firstEventId);
      if (mergedInto === null && !this.#staleIncidents.supports(id, events)) continue;
      const { made = null } = this.#options;
      const incident = this.#book.apply(markExplanation(priced(explanation, this.#gpuHourRate), made));
      if (incident === null) continue;
      this.#staleIncidents.alive(incident.id);
      if (this.#onWork !== null) {
        const { id, revision } = incident;
        const about = { incidentId: id, revision, ...(eventId === undefined ? {} : { eventId }) };
        this.#onWork({ name: 'Correlator/Correlate', ...about, startMs, endMs: this.#options.now() });
      }
      this.#report(incident);
    }
  }

  /** The incident, and those that count other GPU-hours for it. */
  #report(incident: Incident): void {
    this.#options.onIncident(incident);
    for (const other of this.#book.recount(incident)) this.#options.onIncident(other);
  }

  #workStartMs(): number {
    return this.#onWork === null ? 0 : this.#options.now();
  }

  /** From the first sample, or from when it was read, to the event; for a native edge with the way over the boundary. */
  #detected(event: FaultEvent, edge: DetectorEdge | undefined): void {
    if (this.#onWork === null) return;
    const nowMs = this.#options.now();
    const endMs = Math.min(edge?.detectedMs ?? nowMs, nowMs);
    const startMs = Math.min(edge?.timeMs ?? event.observedMs, endMs);
    this.#onWork({ name: 'Detector/Detect', eventId: event.id, startMs, endMs });
    if (edge !== undefined) this.#onWork({ name: 'Core/HandOver', eventId: event.id, startMs: endMs, endMs: nowMs });
  }

  #lastReading(key: string): number | null {
    const now = this.#options.now();
    const { core } = this.#options;
    // Nearly always there is one of a moment ago; to copy a minute of samples for its last one is dear.
    const recent = core.history(key, now - 2_000, now).values.at(-1);
    return recent ?? core.history(key, now - 60_000, now).values.at(-1) ?? null;
  }
}
