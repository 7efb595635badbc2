// Alertmanager sink: an incident is an alert from its first revision to its end; open ones are sent again until they are over.

import { remember } from '../../helpers/remember.ts';
import type { Incident } from '../../model/incident.ts';
import type { Labels } from '../../model/matcher.ts';
import { compareSeverity } from '../../model/severity.ts';
import type { SinkContext } from '../define-sink.ts';
import type { Tuning } from '../delivery/delivery.ts';
import { DeliverySet } from '../delivery/delivery-set.ts';
import { type CaughtUp, catchUp } from '../delivery/journal/catch-up.ts';
import { SentMarks } from '../delivery/journal/sent-marks.ts';
import { DiskLane } from '../delivery/spool/disk-lane.ts';
import { factsOf } from '../message/facts.ts';
import { labelsOf } from '../message/labels.ts';
import { newestOf } from '../message/newest.ts';
import type { Sink, SinkCounts, SinkHealth } from '../sink.ts';
import { AlertBook, MISSED } from './alert-book.ts';
import { deliveriesOf, messageOf } from './deliveries.ts';
import { journalPath, spoolDirectory } from './places.ts';
import type { AlertmanagerConfig } from './settings.ts';

const MOST_HIDDEN = 512;

export async function createAlertmanagerSink(
  config: AlertmanagerConfig,
  context: SinkContext,
  tuning: Tuning = {},
): Promise<AlertmanagerSink> {
  const { stateDirectory, known, loggedAfter } = context;
  const lane = new DiskLane();
  const caughtUp = await catchUp({ path: journalPath(stateDirectory), lane, known, loggedAfter });
  return new AlertmanagerSink(config, context, lane, caughtUp, tuning);
}

export class AlertmanagerSink implements Sink {
  readonly name = 'alertmanager';
  readonly #config: AlertmanagerConfig;
  readonly #silenced: SinkContext['silenced'];
  readonly #book: AlertBook;
  readonly #deliveries: ReturnType<typeof deliveriesOf>;
  readonly #set: DeliverySet;
  readonly #marks: SentMarks;
  /** Open ones that a silence hides: sent when it is over and they are not. */
  readonly #hidden = new Map<string, Incident>();
  #restored: readonly Incident[];
  #unsent: CaughtUp['unsent'];
  #known: readonly Incident[];
  #timer: NodeJS.Timeout | null = null;

  constructor(config: AlertmanagerConfig, context: SinkContext, lane: DiskLane, caughtUp: CaughtUp, tuning: Tuning) {
    const { stateDirectory, version, logger, now, restored, known, silenced } = context;
    this.#config = config;
    this.#silenced = silenced;
    this.#book = new AlertBook(config.labels, config.resendMs * MISSED, caughtUp.journal.parts);
    this.#deliveries = deliveriesOf(config, {
      ...tuning,
      directory: spoolDirectory(stateDirectory),
      userAgent: `faultline/${version}`,
      book: this.#book,
      lane,
      logger,
      now,
    });
    this.#set = new DeliverySet(this.name, this.#deliveries);
    this.#marks = new SentMarks(caughtUp.journal, () => this.#flushed(), this.#book);
    this.#unsent = caughtUp.unsent;
    this.#restored = newestOf(restored, caughtUp.unsent);
    this.#known = known;
  }

  start(signal: AbortSignal): void {
    if (this.#timer !== null || signal.aborted) return;
    this.#timer = setInterval(() => this.#sendAgain(), this.#config.resendMs).unref();
    // First into the book, so that what waits on disk is sent as it is now.
    this.#catchUp();
    this.#set.start();
  }

  /** Each revision that may have been sent under labels of its own, so that these end; then what is now. */
  #catchUp(): void {
    const now = this.#restored;
    const isNow = new Map(now.map(({ id, revision }) => [id, revision]));
    const over = this.#known.filter(({ id, state }) => state === 'resolved' && this.#book.has(id) && !isNow.has(id));
    for (const entry of this.#unsent)
      if ('incident' in entry && isNow.get(entry.incident.id) !== entry.incident.revision) this.#take(entry.incident, true); // biome-ignore format: one line
    for (const incident of [...over, ...now]) this.incident(incident);
    [this.#restored, this.#unsent, this.#known] = [[], [], []];
  }

  event(): void {}

  incident(incident: Incident): void {
    this.#take(incident);
    this.#marks.handedOver(incident);
    void this.#marks.write();
  }

  /** `past`: it is not so any more, only what ended with it counts. */
  #take(incident: Incident, past = false): void {
    const labels = labelsOf(incident, this.#config.labels);
    if (!this.#wants(incident, labels)) return;
    const alerts = this.#book.take(incident, factsOf(incident, this.#config.runbooks), labels);
    const sent = past ? alerts.filter(({ endsMs }) => endsMs !== null) : alerts;
    if (sent.length > 0) this.#push(messageOf(sent), incident.updatedMs);
    if (past) this.#book.setBack(incident.id);
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

  /** What became an alert stays one to its end, whatever its severity or a silence does. */
  #wants(incident: Incident, labels: Labels): boolean {
    if (this.#book.has(incident.id)) return true;
    const { severity, minConfidence } = this.#config;
    if (compareSeverity(incident.severity, severity) < 0 || incident.confidence < minConfidence) return false;
    const silence = this.#silenced(labels);
    if (silence !== null && incident.state === 'open') remember(this.#hidden, incident.id, incident, MOST_HIDDEN);
    else this.#hidden.delete(incident.id);
    return silence === null;
  }

  /** Through the queue, so that it stays in its place behind what changed before; one that waits is enough. */
  #sendAgain(): void {
    for (const incident of [...this.#hidden.values()]) this.#take(incident);
    if (this.#book.size === 0) return;
    for (const delivery of this.#deliveries.values()) if (delivery.idle) delivery.push(messageOf(null), 1);
  }

  #push(bytes: Buffer, timeMs: number): void {
    for (const delivery of this.#deliveries.values()) delivery.push(bytes, 1, timeMs);
  }

  async #flushed(): Promise<boolean> {
    const flushed = await Promise.all([...this.#deliveries.values()].map((delivery) => delivery.flushed()));
    return !flushed.includes(false);
  }
}
