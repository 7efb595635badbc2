// What the running daemon reports of its sources and sinks, read with care: it may be another version.

import type { SinkHealth } from '../../sinks/sink.ts';
import type { SourceHealth, SourceStatus } from '../../sources/source.ts';

const STATUSES: readonly SourceStatus[] = ['works', 'partial', 'absent', 'no_permission', 'failed', 'off'];
const SINK_STATUSES: readonly SinkHealth['status'][] = ['works', 'failing', 'off'];

/** A file of the state folder of which something is wrong, as the daemon reports it. */
export interface StateTrouble {
  readonly file: string;
  /** Why it cannot be written, and why this run could not take up what was in it; null where it can. */
  readonly unwritten: string | null;
  readonly damaged: string | null;
}

type Fields = Readonly<Record<string, unknown>>;

/** `sources` is null where the answer has no list of them. */
export function viewOf({ sources, sinks }: Fields): {
  sources: readonly SourceHealth[] | null;
  sinks: readonly SinkHealth[] | null;
} {
  return { sources: listOf(sources, sourceOf), sinks: listOf(sinks, sinkOf) };
}

/** Empty where all is well, or an older daemon does not say. */
export function stateTroubles({ state }: Fields): readonly StateTrouble[] {
  const { files } = typeof state === 'object' && state !== null ? ({ ...state } as Fields) : {}; // any object can be read as fields
  return (listOf(files, stateOf) ?? []).filter(({ unwritten, damaged }) => unwritten !== null || damaged !== null);
}

function stateOf({ file, unwritten, damaged }: Fields): StateTrouble | null {
  if (typeof file !== 'string') return null;
  const text = (value: unknown): string | null => (typeof value === 'string' ? value : null);
  return { file, unwritten: text(unwritten), damaged: text(damaged) };
}

function listOf<T>(value: unknown, read: (from: Fields) => T | null): readonly T[] | null {
  if (!Array.isArray(value)) return null;
  return value.flatMap((one: unknown) => (typeof one === 'object' && one !== null ? (read({ ...one }) ?? []) : []));
}

function sourceOf({ source, status, detail, remedy, notes }: Fields): SourceHealth | null {
  const known = STATUSES.find((each) => each === status);
  if (typeof source !== 'string' || known === undefined) return null;
  const texts = Array.isArray(notes) ? notes.filter((note) => typeof note === 'string') : [];
  return {
    source,
    status: known,
    detail: typeof detail === 'string' ? detail : '',
    remedy: typeof remedy === 'string' ? remedy : null,
    ...(texts.length === 0 ? {} : { notes: texts }),
  };
}

function sinkOf({ sink, status, detail }: Fields): SinkHealth | null {
  const known = SINK_STATUSES.find((each) => each === status);
  if (typeof sink !== 'string' || known === undefined) return null;
  return { sink, status: known, detail: typeof detail === 'string' ? detail : '' };
}
