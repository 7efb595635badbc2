// Operator notes: acknowledgements, verdicts and maintenance of the running daemon, into its log and its pipeline.

import { Notes, type NoteTaken } from '../api/notes.ts';
import { didYouMean } from '../helpers/did-you-mean.ts';
import type { KnownNames } from '../identity/known-names.ts';
import type { IncidentLog } from '../incidents/log/incident-log.ts';
import { NoteBook } from '../incidents/notes/note-book.ts';
import type { SilenceBook } from '../incidents/notes/silence-book.ts';
import { componentText } from '../model/component.ts';
import { noteToDocument } from '../model/documents/note.ts';
import type { BundleNote, Maintenance, Note, Said, Silence } from '../model/note.ts';
import type { Emit } from '../model/record.ts';
import type { IncidentWork, OnWork } from '../model/work.ts';
import { MOST_DECLARED } from '../sources/maintenance/maintenance-book.ts';
import { MaintenanceSource } from '../sources/maintenance/maintenance-source.ts';

export interface OperatorNotesOptions {
  readonly host: string;
  /** Epoch ms on the steady clock. */
  readonly now: () => number;
  readonly log: IncidentLog;
  /** Notes of before this start, in order. */
  readonly restored: readonly Note[];
  /** What operators do not want to hear of; shared with the sinks. */
  readonly silences: SilenceBook;
  /** The components that were seen here. */
  readonly names: KnownNames;
  /** Called when an incident has a new note. */
  readonly onSaid: (incidentId: string) => void;
  /** What takes a bundle into the incident's trace. */
  readonly onWork?: () => OnWork;
}

/** Maintenance of what nothing here ever showed explains nothing: most likely the name is misspelt. */
function doubtOf(note: Note, names: KnownNames): string | null {
  if (note.kind !== 'maintenance' || note.state === 'end' || names.has(note.component)) return null;
  const text = componentText(note.component);
  const near = didYouMean(text, names.list());
  const hint =
    near === null ? 'faultline config check and faultline doctor show what there is' : `Did you mean: ${near}`;
  return `nothing on this host has ever shown ${text}: this maintenance explains nothing until something does. ${hint}`;
}

function workOf({ incidentId, atMs, tookMs, error }: BundleNote): IncidentWork {
  const why = error === null ? {} : { skipped: error, error };
  return { name: 'Bundle/Make', incidentId, startMs: atMs - tookMs, endMs: atMs, ...why };
}

export class OperatorNotes {
  readonly #book: NoteBook;
  readonly #maintenance: MaintenanceSource;
  readonly #notes: Notes;
  readonly #silences: SilenceBook;
  readonly #now: () => number;

  constructor(options: OperatorNotesOptions) {
    const { host, now, log, restored, names, silences, onSaid, onWork } = options;
    this.#book = new NoteBook(restored);
    this.#silences = silences;
    this.#now = now;
    const earlier = restored.filter((note): note is Maintenance => note.kind === 'maintenance');
    this.#maintenance = new MaintenanceSource({ now, restored: earlier });
    this.#notes = new Notes({
      host,
      now,
      write: (note) => log.appendNote(note),
      inForce: () => this.#maintenance.inForce().map(({ start }) => start),
      silences: () => silences.list(now()),
      mostInForce: MOST_DECLARED,
      doubt: (note) => doubtOf(note, names),
      onNote: (note) => {
        if (note.kind === 'maintenance') return this.#maintenance.take(note);
        if (note.kind === 'silence') return silences.take(note);
        this.#book.take(note);
        if (note.kind === 'bundle') onWork?.()?.(workOf(note));
        onSaid(note.incidentId);
      },
    });
  }

  start(emit: Emit, signal: AbortSignal): void {
    this.#maintenance.start(emit, signal);
  }

  /** As `ApiBackend.note`. */
  take(body: unknown): Promise<NoteTaken> {
    return this.#notes.take(body);
  }

  /** Silences of the configuration, which was read again. */
  configured(silences: readonly Silence[]): void {
    this.#silences.configure(silences);
  }

  said(incidentId: string): Said {
    return this.#book.of(incidentId);
  }

  /** The notes by which maintenance is in force now. */
  maintenance(): readonly object[] {
    return this.#maintenance.inForce().map(({ start }) => noteToDocument(start));
  }

  /** The silences that are not over, those of the configuration first. */
  silences(): readonly object[] {
    return this.#silences.list(this.#now()).map(noteToDocument);
  }

  async stop(): Promise<void> {
    await this.#maintenance.stop();
  }
}
