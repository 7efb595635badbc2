// History: what the daemon decided to send, and what became of it; the newest, for those who ask the API, also over a restart.

import { StateFile } from '../../helpers/files/state-file.ts';
import { remember } from '../../helpers/remember.ts';
import type { Incident } from '../../model/incident.ts';
import { type SentNotification, sentNotificationFrom } from '../../model/sent-notification.ts';
import type { Outcome } from '../delivery/send/outcome.ts';
import type { Transport } from '../delivery/send/transport.ts';
import { notificationIn } from './channels/queued.ts';
import type { Notification } from './notification.ts';

const MOST = 500;
const MOST_BYTES = 1024 * 1024;
/** A kill loses what became of what was sent so long before. */
const SETTLE_MS = 1_000;

type Entry = SentNotification;

export class History {
  readonly #entries = new Map<string, Entry>();
  readonly #now: () => number;
  readonly #file: StateFile;

  /** `directory`: the state folder; null to keep nothing. */
  constructor(now: () => number, directory: string | null) {
    this.#now = now;
    this.#file = new StateFile({
      directory,
      name: 'notify-history.json',
      schema: 'faultline/notify-history/1',
      maxBytes: MOST_BYTES,
      settleMs: SETTLE_MS,
      content: () => ({ sent: this.list() }),
    });
  }

  /** What earlier runs left; to be called once, first. */
  async load(): Promise<void> {
    await this.#file.read(({ sent }) => {
      if (!Array.isArray(sent)) return false;
      for (const entry of sent.map(sentNotificationFrom)) {
        if (entry !== null) remember(this.#entries, keyOf(entry), entry, MOST);
      }
      return true;
    });
  }

  async stop(): Promise<void> {
    await this.#file.stop();
  }

  list(): readonly SentNotification[] {
    return [...this.#entries.values()];
  }

  queued(notification: Notification): void {
    this.#keep(this.#entryOf(notification, 'waiting', null));
  }

  held(incident: Incident, channel: string, why: string): void {
    const nowMs = this.#now();
    this.#keep({
      key: `held-${channel}-${incident.id}-${incident.revision}`,
      atMs: nowMs,
      channel,
      what: incident.state === 'resolved' ? 'resolved' : 'opened',
      severity: incident.severity,
      incidentId: incident.id,
      reason: null,
      state: 'held',
      stateMs: nowMs,
      detail: why,
    });
  }

  /** A transport whose outcomes are kept, also those of notifications that an earlier run left in the queue. */
  watching(transport: Transport): Transport {
    return {
      send: async (message) => {
        const outcome = await transport.send(message);
        this.#came(notificationIn(message), outcome);
        return outcome;
      },
      close: () => transport.close(),
    };
  }

  #came(notification: Notification, outcome: Outcome): void {
    const state =
      outcome.is === 'ok' || outcome.is === 'partial' ? 'sent' : outcome.is === 'fatal' ? 'refused' : 'waiting';
    const detail = 'why' in outcome ? outcome.why : null;
    const known = this.#entries.get(keyOf(notification));
    if (known === undefined) this.#keep(this.#entryOf(notification, state, detail));
    else {
      this.#entries.set(keyOf(notification), { ...known, state, detail, stateMs: this.#now() });
      this.#file.changed();
    }
  }

  #entryOf(notification: Notification, state: Entry['state'], detail: string | null): Entry {
    const { key, at, channel, what, severity, reason, facts } = notification;
    const atMs = Date.parse(at);
    const incidentId = facts?.id ?? null;
    return { key, atMs, channel, what, severity, incidentId, reason, state, stateMs: this.#now(), detail };
  }

  #keep(entry: Entry): void {
    remember(this.#entries, keyOf(entry), entry, MOST);
    this.#file.changed();
  }
}

/** One key goes to several channels. */
function keyOf({ channel, key }: { readonly channel: string; readonly key: string }): string {
  return `${channel} ${key}`;
}
