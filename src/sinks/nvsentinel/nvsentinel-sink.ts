// NVSentinel sink: an incident is an unhealthy event from its first revision on, and a healthy one at its end.

import { remember } from '../../helpers/remember.ts';
import type { Incident } from '../../model/incident.ts';
import { compareSeverity } from '../../model/severity.ts';
import type { SinkContext } from '../define-sink.ts';
import type { Delivery, Tuning } from '../delivery/delivery.ts';
import { DeliverySet } from '../delivery/delivery-set.ts';
import { type CaughtUp, catchUp } from '../delivery/journal/catch-up.ts';
import { SentMarks } from '../delivery/journal/sent-marks.ts';
import { DiskLane } from '../delivery/spool/disk-lane.ts';
import { factsOf } from '../message/facts.ts';
import { labelsOf } from '../message/labels.ts';
import { newestOf } from '../message/newest.ts';
import type { Sink, SinkCounts, SinkHealth } from '../sink.ts';
import { CheckBook } from './check-book.ts';
import { deliveryTo, messageOf } from './deliver.ts';
import { type EventOptions, unhealthy } from './health-event.ts';
import { journalPath, spoolDirectory } from './places.ts';
import type { NvsentinelConfig } from './settings.ts';

const UNHIDE_MS = 60_000;
const MOST_HIDDEN = 512;

export async function createNvsentinelSink(
  config: NvsentinelConfig,
  context: SinkContext,
  tuning: Tuning = {},
): Promise<NvsentinelSink> {
  const { stateDirectory, known, loggedAfter } = context;
  const lane = new DiskLane();
  const caughtUp = await catchUp({ path: journalPath(stateDirectory), lane, known, loggedAfter });
  return new NvsentinelSink(config, context, lane, caughtUp, tuning);
}

export class NvsentinelSink implements Sink {
  readonly name = 'nvsentinel';
  readonly #config: NvsentinelConfig;
  readonly #context: SinkContext;
  readonly #event: EventOptions;
  readonly #book: CheckBook;
  readonly #delivery: Delivery;
  readonly #set: DeliverySet;
  readonly #marks: SentMarks;
  /** Open ones that a silence hides: sent when it is over and they are not. */
  readonly #hidden = new Map<string, Incident>();
  readonly #unsent: CaughtUp['unsent'];
  #timer: NodeJS.Timeout | null = null;

  constructor(config: NvsentinelConfig, context: SinkContext, lane: DiskLane, caughtUp: CaughtUp, tuning: Tuning) {
    const { stateDirectory, version, logger, now, host } = context;
    this.#config = config;
    this.#context = context;
    this.#event = { ...config, nodeName: config.nodeName ?? host };
    this.#book = new CheckBook(caughtUp.journal.parts);
    const directory = spoolDirectory(stateDirectory);
    const userAgent = `faultline/${version}`;
    this.#delivery = deliveryTo(config, { ...tuning, directory, userAgent, book: this.#book, lane, logger, now });
    this.#set = new DeliverySet(this.name, new Map([['', this.#delivery]]));
    this.#marks = new SentMarks(caughtUp.journal, () => this.#delivery.flushed(), this.#book);
    this.#unsent = caughtUp.unsent;
  }

  start(signal: AbortSignal): void {
    if (this.#timer !== null || signal.aborted) return;
    this.#timer = setInterval(() => this.#unhide(), UNHIDE_MS).unref();
    const { restored, known } = this.#context;
    const now = newestOf(restored, this.#unsent);
    // Of an earlier run, and over since: the log is read before anything is sent.
    const over = known.filter(({ id, state }) => state === 'resolved' && this.#book.has(id));
    for (const incident of [...over.filter(({ id }) => !now.some((each) => each.id === id)), ...now])
      this.incident(incident);
    this.#set.start();
  }

  event(): void {}

  incident(incident: Incident): void {
    this.#take(incident);
    this.#marks.handedOver(incident);
    void this.#marks.write();
  }

  health(): SinkHealth {
    return this.#set.health();
  }

  counts(): SinkCounts[] {
    return this.#set.counts();
  }

  async stop(): Promise<void> {
    if (this.#timer === null) return;
    clearInterval(this.#timer);
    this.#timer = null;
    await this.#set.stop(Promise.resolve(), () => this.#marks.write());
  }

  /** What became one stays one to its end, whatever its severity or a silence does. */
  #wants(incident: Incident): boolean {
    if (this.#book.has(incident.id)) return true;
    if (compareSeverity(incident.severity, this.#config.severity) < 0) return false;
    const silence = this.#context.silenced(labelsOf(incident, {}));
    if (silence !== null && incident.state === 'open') remember(this.#hidden, incident.id, incident, MOST_HIDDEN);
    else this.#hidden.delete(incident.id);
    return silence === null;
  }

  #take(incident: Incident): void {
    if (!this.#wants(incident)) return;
    const { id, state, mergedInto, updatedMs } = incident;
    const isOver = state === 'resolved' || mergedInto !== null;
    const event = unhealthy(incident, factsOf(incident, null), this.#event);
    // Over before it was ever heard of, as after a restart: its beginning for the record, and its end.
    const begun = isOver && !this.#book.has(id) ? this.#book.take(id, event, updatedMs) : [];
    for (const one of [...begun, ...this.#book.take(id, isOver ? null : event, updatedMs)])
      this.#delivery.push(messageOf(one), 1, updatedMs);
  }

  #unhide(): void {
    for (const incident of [...this.#hidden.values()]) this.#take(incident);
    void this.#marks.write();
  }
}
