// Head: what the first bytes of a line tell, so that most of a long log is never parsed.

import { EVENT_SCHEMA } from '../../model/documents/event.ts';
import { INCIDENT_SCHEMA } from '../../model/documents/incident.ts';
import { parseLine } from './read-log.ts';

export type Head =
  | {
      readonly schema: typeof INCIDENT_SCHEMA;
      readonly id: string;
      readonly revision: number;
      readonly open: boolean;
      /** The revision that it continues; null where it is whole. */
      readonly since: number | null;
    }
  | { readonly schema: typeof EVENT_SCHEMA; readonly id: string }
  | { readonly schema: 'other' };

const HEAD_BYTES = 600;
const NEWLINE = 10;
const CLOSING_BRACE = 125;
const TEXT = String.raw`"((?:[^"\\\x00-\x1f]|\\.){1,255})"`;
const ID = String.raw`([!#-[\]-~]{1,128})`; // printable ASCII without quote and backslash
/** Our own lines begin with these fields in this order. */
const INCIDENT = new RegExp(
  `^\\{"schema":"${INCIDENT_SCHEMA}","id":"${ID}","host":${TEXT},"state":"(open|resolved)","revision":(\\d{1,9}),(?:"since_revision":(\\d{1,9}),)?`,
);
const EVENT_START = Buffer.from(`{"schema":"${EVENT_SCHEMA}","id":"`);
const EVENT = new RegExp(`^\\{"schema":"${EVENT_SCHEMA}","id":"${ID}",`);

/**
 * Null where the line is not a JSON object, or an incident or event without an id. A line of ours is known by its two ends
 * alone: whoever uses it parses it and finds what may be wrong in between.
 */
export function headOf(lines: Buffer): Head | null {
  const line = lastLine(lines);
  const head = line.subarray(0, HEAD_BYTES).toString('latin1');
  const ends = line.at(-1) === CLOSING_BRACE;
  const incident = ends ? INCIDENT.exec(head) : null;
  if (incident) {
    const [, id = '', , state, revision, since] = incident;
    const open = state === 'open';
    return {
      schema: INCIDENT_SCHEMA,
      id,
      revision: Number(revision),
      open,
      since: since === undefined ? null : Number(since),
    };
  }
  const event = ends ? EVENT.exec(head) : null;
  if (event) return { schema: EVENT_SCHEMA, id: event[1] ?? '' };
  return parsedHead(line);
}

/** The line of the revision itself, behind those of its parts. */
export function lastLine(lines: Buffer): Buffer {
  return lines.subarray(lines.lastIndexOf(NEWLINE) + 1);
}

/** Whether the line is an event of ours by its two ends, which is found without looking at its id. */
export function isEventLine(line: Buffer): boolean {
  return line.at(-1) === CLOSING_BRACE && EVENT_START.compare(line, 0, EVENT_START.length) === 0;
}

function parsedHead(line: Buffer): Head | null {
  const document = parseLine(line);
  if (document === undefined) return null;
  const { schema, id, revision, state, since_revision } = document;
  if (schema !== INCIDENT_SCHEMA && schema !== EVENT_SCHEMA) return { schema: 'other' };
  if (typeof id !== 'string') return null;
  if (schema === EVENT_SCHEMA) return { schema, id };
  if (typeof revision !== 'number') return null;
  return {
    schema,
    id,
    revision,
    open: state === 'open',
    since: typeof since_revision === 'number' ? since_revision : null,
  };
}
