// Notes: takes what people say over the socket — checked, rate-limited, written before it is answered, then in force.

import { type Maintenance, MOST_SILENCES, type Note, type Silence } from '../model/note.ts';
import { ApiError } from './api-error.ts';
import { readNote } from './read-note.ts';

/** So that no script can roll the incidents out of the log with its words. */
const MOST_A_MINUTE = 60;
const MINUTE_MS = 60_000;

export interface NotesOptions {
  readonly host: string;
  /** Epoch ms on the steady clock. */
  readonly now: () => number;
  /** Writes it to the log; false when it was not on disk in time. */
  readonly write: (note: Note) => Promise<boolean>;
  readonly inForce: () => readonly Maintenance[];
  /** Silences that are not over. */
  readonly silences: () => readonly Silence[];
  /** Components that may be under maintenance at once. */
  readonly mostInForce: number;
  /** What the note is about, where nothing here ever showed it: a line that says so; null where it is known. */
  readonly doubt?: (note: Note) => string | null;
  /** Called when the note counts. */
  readonly onNote: (note: Note) => void;
}

export interface NoteTaken {
  readonly note: Note;
  /** False when the disk did not take it in time: it counts, and is written as soon as the disk lets us. */
  readonly written: boolean;
  /** Why it may be of no use, in words; null where nothing speaks against it. */
  readonly warning: string | null;
}

export class Notes {
  readonly #options: NotesOptions;
  #minute = Number.NEGATIVE_INFINITY;
  #count = 0;

  constructor(options: NotesOptions) {
    this.#options = options;
  }

  /** Throws FL3402 to FL3405 with an HTTP status for what cannot be taken. */
  async take(body: unknown): Promise<NoteTaken> {
    const { host, now, write, onNote, doubt } = this.#options;
    const nowMs = now();
    const note = readNote(body, host, nowMs);
    if (note.kind === 'maintenance') this.#checkMaintenance(note);
    if (note.kind === 'silence') this.#checkSilence(note, nowMs);
    this.#limit(nowMs);
    const warning = doubt?.(note) ?? null;
    // At once: what breaks between the word and the disk's answer is under the maintenance already.
    onNote(note);
    return { note, written: await write(note), warning };
  }

  #checkMaintenance(note: Maintenance): void {
    const inForce = this.#options.inForce();
    const same = inForce.some(({ component: c }) => c.type === note.component.type && c.id === note.component.id);
    const { type, id } = note.component;
    if (note.state === 'end' && !same) {
      const others = inForce.map(({ component: c }) => `${c.type}/${c.id}`).join(', ');
      const what = others === '' ? 'None is' : `In force: ${others}`;
      throw new ApiError(409, 'FL3405', `no maintenance of ${type}/${id} is in force. ${what}`);
    }
    if (note.state === 'start' && !same && inForce.length >= this.#options.mostInForce) {
      throw new ApiError(409, 'FL3404', `${inForce.length} maintenances are in force already. End one first`);
    }
  }

  #checkSilence({ state, silenceId }: Silence, nowMs: number): void {
    const silences = this.#options.silences().filter(({ untilMs }) => untilMs === null || untilMs > nowMs);
    if (state === 'start' && silences.length >= MOST_SILENCES)
      throw new ApiError(409, 'FL3404', `${silences.length} silences are in force already. End one first`);
    if (state === 'end' && !silences.some(({ id }) => id === silenceId))
      throw new ApiError(
        409,
        'FL3405',
        `no silence ${silenceId} is in force. faultline silence list has those that are`,
      );
  }

  #limit(nowMs: number): void {
    if (nowMs - this.#minute >= MINUTE_MS) {
      this.#minute = nowMs;
      this.#count = 0;
    }
    this.#count += 1;
    if (this.#count > MOST_A_MINUTE) {
      throw new ApiError(429, 'FL3404', `more than ${MOST_A_MINUTE} notes came within a minute. Wait a minute`);
    }
  }
}
