// Silence book: which silences are in force, from what people said in order and from the configuration.

import { remember } from '../../helpers/remember.ts';
import { type Labels, matchesAll } from '../../model/matcher.ts';
import { MOST_SILENCES, type Note, type Silence } from '../../model/note.ts';

export class SilenceBook {
  #configured: readonly Silence[];
  readonly #said = new Map<string, Silence>();

  /** `configured`: those of the configuration, which no command ends. */
  constructor(notes: readonly Note[] = [], configured: readonly Silence[] = []) {
    this.#configured = configured;
    for (const note of notes) if (note.kind === 'silence') this.take(note);
  }

  /** The configuration was read again. */
  configure(configured: readonly Silence[]): void {
    this.#configured = configured;
  }

  /** An end of what is not there is nothing. */
  take(note: Silence): void {
    if (note.state === 'start') remember(this.#said, note.id, note, MOST_SILENCES);
    else if (note.silenceId !== null) this.#said.delete(note.silenceId);
  }

  /** Those that are not over yet, also where they begin later; the oldest first. */
  list(nowMs: number): readonly Silence[] {
    return [...this.#configured, ...this.#said.values()].filter(({ untilMs }) => untilMs === null || untilMs > nowMs);
  }

  has(id: string, nowMs: number): boolean {
    const silence = this.#said.get(id);
    return silence !== undefined && (silence.untilMs === null || silence.untilMs > nowMs);
  }

  /** The first that hides what has these labels; null where it is to be sent. */
  of(labels: Labels, nowMs: number): Silence | null {
    const hides = ({ fromMs, atMs, matchers }: Silence) => (fromMs ?? atMs) <= nowMs && matchesAll(matchers, labels);
    return this.list(nowMs).find(hides) ?? null;
  }
}
