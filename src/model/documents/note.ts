// Note documents: `faultline/note/1` as it is in the log, and what of it is in an incident's document.

import { stableId } from '../identity.ts';
import type { Ack, Maintenance, Note, Said, Verdict } from '../note.ts';
import * as read from './fields.ts';
import { computedTime } from './fields.ts';

export const NOTE_SCHEMA = 'faultline/note/1';

type WithoutId<T> = T extends Note ? Omit<T, 'id'> : never;

/** The note with its id: the same words of the same person about the same thing at the same time are one note. */
export function makeNote(said: WithoutId<Note>): Note {
  const about = said.kind === 'maintenance' ? `${said.component.type}/${said.component.id}` : said.incidentId;
  const what = said.kind === 'ack' ? '' : said.kind === 'verdict' ? said.verdict : said.state;
  return { ...said, id: stableId('note', said.host, said.kind, about, what, said.atMs.toFixed(3), said.by) };
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
    case 'maintenance': {
      const until = note.untilMs === null ? null : computedTime(note.untilMs);
      return { ...head, component: note.component, state: note.state, until, note: note.note };
    }
  }
}

/** The note that a document describes; null when anything that it needs is missing or of the wrong type. */
export function noteFromDocument(document: unknown): Note | null {
  return read.orNull(() => noteFrom(read.fields(document)));
}

function noteFrom(from: read.Fields): Note {
  read.oneOf(from.schema, [NOTE_SCHEMA]);
  const kind = read.oneOf(from.kind, ['ack', 'verdict', 'maintenance']);
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
  return {
    ...base,
    kind,
    state: read.oneOf(from.state, ['start', 'end']),
    component: read.component(from.component),
    untilMs: from.until === null || from.until === undefined ? null : read.timeMs(from.until),
  } satisfies Maintenance;
}

/** The fields that operators' notes add to an incident's document; null where nothing was said. */
export function saidToDocument({ acknowledged, verdict }: Said): {
  acknowledged: object | null;
  verdict: object | null;
} {
  const words = (note: Ack | Verdict) => ({ by: note.by, at: computedTime(note.atMs), note: note.note });
  return {
    acknowledged: acknowledged === null ? null : words(acknowledged),
    verdict: verdict === null ? null : { verdict: verdict.verdict, root_kind: verdict.rootKind, ...words(verdict) },
  };
}
