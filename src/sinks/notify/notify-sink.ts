// Notify sink: people are sent what is new about an incident, once, by the channels that they chose.

import { StateFile } from '../../helpers/files/state-file.ts';
import { incidentToDocument } from '../../model/documents/incident.ts';
import type { Incident } from '../../model/incident.ts';
import type { SentNotification } from '../../model/sent-notification.ts';
import type { SinkContext } from '../define-sink.ts';
import type { Delivery, Tuning } from '../delivery/delivery.ts';
import { DeliverySet } from '../delivery/delivery-set.ts';
import { catchUp } from '../delivery/journal/catch-up.ts';
import { SentMarks } from '../delivery/journal/sent-marks.ts';
import { DiskLane } from '../delivery/spool/disk-lane.ts';
import { factsOf } from '../message/facts.ts';
import { newestOf } from '../message/newest.ts';
import type { Sink, SinkCounts, SinkHealth } from '../sink.ts';
import { channelDefinition } from './channels/definition.ts';
import { queued } from './channels/queued.ts';
import { Threads } from './channels/threads.ts';
import { Budget } from './decide/budget.ts';
import { type Decided, Desk } from './decide/desk.ts';
import { localTimes } from './decide/local-time.ts';
import { SentBook } from './decide/sent-book.ts';
import { deliveriesOf } from './deliveries.ts';
import { History } from './history.ts';
import { NOTIFICATION_SCHEMA, type Notification } from './notification.ts';
import { journalPath, spoolDirectory } from './places.ts';
import type { NotifyConfig } from './settings.ts';
import { templateTrouble } from './write/liquid.ts';

const TICK_MS = 1_000;
const BUDGET_BYTES = 512 * 1024;

export interface NotifyTuning extends Tuning {
  readonly tickMs?: number;
}

interface Parts {
  readonly deliveries: ReadonlyMap<string, Delivery>;
  readonly desk: Desk;
  readonly marks: SentMarks;
  readonly threads: Threads;
  readonly history: History;
  readonly budgetFile: StateFile;
  /** Of the earlier run: open, and not known to be sent. */
  readonly restored: readonly Incident[];
  readonly unsent: readonly Incident[];
}

export async function createNotifySink(
  config: NotifyConfig,
  context: SinkContext,
  tuning: NotifyTuning = {},
): Promise<NotifySink> {
  const { stateDirectory, known, restored, loggedAfter, version, logger, now, host } = context;
  const { tickMs: _, ...common } = tuning;
  const lane = new DiskLane();
  const { journal, unsent } = await catchUp({ path: journalPath(stateDirectory), lane, known, loggedAfter });
  const threads = new Threads(stateDirectory);
  await threads.load();
  const userAgent = `faultline/${version}`;
  const directory = spoolDirectory(stateDirectory);
  const history = new History(now, stateDirectory);
  await history.load();
  const deliveries = await deliveriesOf(config, {
    ...common,
    directory,
    userAgent,
    threads,
    history,
    lane,
    logger,
    now,
  });
  const { day, minute } = localTimes(config.timeZone)(now());
  // What is held back before today's digest is in it.
  const budget = new Budget(config.limitADay, minute < config.digestMinute ? '' : day);
  const budgetFile = new StateFile({
    directory: stateDirectory,
    name: 'notify-budget.json',
    schema: 'faultline/notify-budget/1',
    maxBytes: BUDGET_BYTES,
    settleMs: TICK_MS,
    content: () => budget.document(),
  });
  await budgetFile.read((document) => budget.restore(document));
  const book = new SentBook(journal.parts);
  const onHeld = (incident: Incident, channel: string, why: string) => {
    history.held(incident, channel, why);
    logger.info(
      { code: 'FL3518', incident: incident.id, channel },
      `FL3518 incident ${incident.id} is not sent to channel ${channel}: ${why}`,
    );
  };
  const desk = new Desk({ config, book, budget, host, silenced: context.silenced, said: context.said, onHeld });
  reportTemplates(config, logger);
  const flushed = async () =>
    !(await Promise.all([...deliveries.values()].map((one) => one.flushed()))).includes(false);
  return new NotifySink(
    config,
    context,
    {
      deliveries,
      desk,
      marks: new SentMarks(journal, flushed, book),
      threads,
      history,
      budgetFile,
      restored,
      unsent: newestOf([], unsent),
    },
    tuning.tickMs ?? TICK_MS,
  );
}

/** The messages are sent all the same, in our words. */
function reportTemplates({ channels }: NotifyConfig, logger: SinkContext['logger']): void {
  for (const { name, templates } of channels) {
    for (const [key, text] of Object.entries(templates)) {
      const trouble = text === null ? null : templateTrouble(text);
      if (trouble !== null)
        logger.warn(
          { code: 'FL3519', channel: name },
          `FL3519 ${key} of channel ${name} is not a Liquid template: ${trouble}. Ours is used`,
        );
    }
  }
}

export class NotifySink implements Sink {
  readonly name = 'notify';
  readonly #config: NotifyConfig;
  readonly #context: SinkContext;
  readonly #parts: Parts;
  readonly #set: DeliverySet;
  readonly #tickMs: number;
  #timer: NodeJS.Timeout | null = null;

  constructor(config: NotifyConfig, context: SinkContext, parts: Parts, tickMs: number) {
    this.#config = config;
    this.#context = context;
    this.#parts = parts;
    this.#tickMs = tickMs;
    this.#set = new DeliverySet(this.name, parts.deliveries);
  }

  start(signal: AbortSignal): void {
    if (this.#timer !== null || signal.aborted) return;
    this.#set.start();
    this.#timer = setInterval(() => this.#push(this.#parts.desk.due(this.#context.now())), this.#tickMs).unref();
    for (const incident of this.#parts.restored) this.#parts.desk.restore(incident);
    for (const incident of this.#parts.unsent) this.incident(incident);
  }

  event(): void {}

  incident(incident: Incident): void {
    this.#push(this.#parts.desk.take(incident, this.#context.now()));
    this.#parts.marks.handedOver(incident);
    void this.#parts.marks.write();
  }

  health(): SinkHealth {
    return this.#set.health();
  }

  notifications(): readonly SentNotification[] {
    return this.#parts.history.list();
  }

  counts(): SinkCounts[] {
    return this.#set.counts();
  }

  async stop(): Promise<void> {
    if (this.#timer === null) return;
    clearInterval(this.#timer);
    this.#timer = null;
    const { marks, threads, budgetFile, history } = this.#parts;
    await this.#set.stop(Promise.resolve(), async () => {
      await Promise.all([marks.write(), threads.stop(), budgetFile.stop(), history.stop()]);
    });
  }

  #push(decided: readonly Decided[]): void {
    if (decided.length === 0) return;
    const nowMs = this.#context.now();
    for (const one of decided) {
      const notification = this.#notification(one, nowMs);
      this.#parts.history.queued(notification);
      this.#parts.deliveries.get(one.channel)?.push(queued(notification), 1, nowMs);
    }
    this.#parts.budgetFile.changed();
    void this.#parts.marks.write();
  }

  #notification({ incident, ...decided }: Decided, nowMs: number): Notification {
    const { runbooks, channels } = this.#config;
    const type = channels.find(({ name }) => name === decided.channel)?.type;
    const whole = incident !== null && type !== undefined && channelDefinition(type).document === true;
    return {
      schema: NOTIFICATION_SCHEMA,
      ...decided,
      host: this.#context.host,
      at: new Date(nowMs).toISOString(),
      severity: incident?.severity ?? 'warning',
      facts: incident === null ? null : factsOf(incident, runbooks),
      incident: whole ? incidentToDocument(incident) : null,
    };
  }
}
