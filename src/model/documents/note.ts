// Note documents: `faultline/note/1` as it is in the log, and what of it is in an incident's document.

import { stableId } from '../identity.ts';
import { matcherText, parseMatcher } from '../matcher.ts';
import type { Ack, BundleNote, Maintenance, Note, Said, Silence, Verdict } from '../note.ts';
import * as read from './fields.ts';
import { computedTime } from './fields.ts';

export const NOTE_SCHEMA = 'faultline/note/1';

type WithoutId<T> = T extends Note ? Omit<T, 'id'> : never;

/** The note with its id: the same words of the same person about the same thing at the same time are one note. */
export function makeNote(said: WithoutId<Note>): Note {
  const [about, what] = aboutOf(said);
  return { ...said, id: stableId('note', said.host, said.kind, about, what, said.atMs.toFixed(3), said.by) };
}

function aboutOf(said: WithoutId<Note>): readonly [about: string, what: string] {
  switch (said.kind) {
    case 'ack':
      return [said.incidentId, ''];
    case 'verdict':
      return [said.incidentId, said.verdict];
    case 'bundle':
      return [said.incidentId, said.sha256 ?? ''];
    case 'maintenance':
      return [`${said.component.type}/${said.component.id}`, said.state];
    case 'silence':
      return [said.silenceId ?? said.matchers.map(matcherText).join(' '), said.state];
  }
}

/** `by_from` says where the name comes from: `client` is what the person's command said, which nothing has checked. */
export function noteToDocument(note: Note): object {
  const { id, host, kind, by } = note;
  const head = { schema: NOTE_SCHEMA, id, host, kind, at: computedTime(note.atMs), by, by_from: 'client' };
  switch (note.kind) {
    case 'ack':
      return { ...head, incident_id: note.incidentId, note: note.note };
    case 'verdict':
      return {
        ...head,
        incident_id: note.incidentId,
        verdict: note.verdict,
        root_kind: note.rootKind,
        note: note.note,
      };
    case 'bundle':
      return { ...head, incident_id: note.incidentId, ...bundleWords(note), note: note.note };
    case 'maintenance': {
      const until = note.untilMs === null ? null : computedTime(note.untilMs);
      return { ...head, component: note.component, state: note.state, until, note: note.note };
    }
    case 'silence': {
      const time = (ms: number | null) => (ms === null ? null : computedTime(ms));
      const when = { from: time(note.fromMs), until: time(note.untilMs), silence_id: note.silenceId };
      return { ...head, state: note.state, matchers: note.matchers.map(matcherText), ...when, note: note.note };
    }
  }
}

/** The note that a document describes; null when anything that it needs is missing or of the wrong type. */
export function noteFromDocument(document: unknown): Note | null {
  return read.orNull(() => noteFrom(read.fields(document)));
}

function noteFrom(from: read.Fields): Note {
  read.oneOf(from.schema, [NOTE_SCHEMA]);
  const kind = read.oneOf(from.kind, ['ack', 'verdict', 'bundle', 'maintenance', 'silence']);
  const base = {
    id: read.name(from.id),
    host: read.text(from.host),
    atMs: read.timeMs(from.at),
    by: read.name(from.by),
    note: read.textOrNull(from.note),
  };
  if (kind === 'ack') return { ...base, kind, incidentId: read.name(from.incident_id) } satisfies Ack;
  if (kind === 'verdict') {
    return {
      ...base,
      kind,
      incidentId: read.name(from.incident_id),
      verdict: read.oneOf(from.verdict, ['right', 'wrong']),
      rootKind: from.root_kind === null || from.root_kind === undefined ? null : read.kind(from.root_kind),
    } satisfies Verdict;
  }
  if (kind === 'bundle') return bundleFrom(from, base);
  if (kind === 'silence') return silenceFrom(from, base);
  return {
    ...base,
    kind,
    state: read.oneOf(from.state, ['start', 'end']),
    component: read.component(from.component),
    untilMs: from.until === null || from.until === undefined ? null : read.timeMs(from.until),
  } satisfies Maintenance;
}

function bundleFrom(from: read.Fields, base: Pick<Note, 'id' | 'host' | 'atMs' | 'by' | 'note'>): BundleNote {
  return {
    ...base,
    kind: 'bundle',
    incidentId: read.name(from.incident_id),
    file: read.text(from.file),
    bytes: from.bytes === null ? null : read.number(from.bytes),
    sha256: read.textOrNull(from.sha256),
    tookMs: read.number(from.took_ms),
    error: read.textOrNull(from.error),
  };
}

function bundleWords({ file, bytes, sha256, tookMs, error }: BundleNote): object {
  return { file, bytes, sha256, took_ms: tookMs, error };
}

function silenceFrom(from: read.Fields, base: Pick<Note, 'id' | 'host' | 'atMs' | 'by' | 'note'>): Silence {
  const time = (value: unknown) => (value === null || value === undefined ? null : read.timeMs(value));
  return {
    ...base,
    kind: 'silence',
    state: read.oneOf(from.state, ['start', 'end']),
    matchers: read.list(from.matchers, (text) => {
      const matcher = parseMatcher(read.text(text));
      if ('error' in matcher) throw new Error(matcher.error); // read.orNull takes the note for damaged
      return matcher;
    }),
    fromMs: time(from.from),
    untilMs: time(from.until),
    silenceId: read.textOrNull(from.silence_id),
  };
}

/** The fields that operators' notes add to an incident's document; null where nothing was said. */
export function saidToDocument({ acknowledged, verdict, bundle }: Said): {
  acknowledged: object | null;
  verdict: object | null;
  bundle?: object;
} {
  const words = (note: Ack | Verdict | BundleNote) => ({ by: note.by, at: computedTime(note.atMs), note: note.note });
  return {
    acknowledged: acknowledged === null ? null : words(acknowledged),
    verdict: verdict === null ? null : { verdict: verdict.verdict, root_kind: verdict.rootKind, ...words(verdict) },
    ...(bundle === undefined ? {} : { bundle: { ...bundleWords(bundle), ...words(bundle) } }),
  };
}
