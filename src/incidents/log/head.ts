// Head: what the first bytes of a line tell, so that most of a long log is never parsed.

import { ownBytes } from '../../helpers/own-bytes.ts';
import { EVENT_SCHEMA } from '../../model/documents/event.ts';
import { INCIDENT_SCHEMA } from '../../model/documents/incident.ts';
import { beginsWith, isPart } from './lines.ts';
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

/** As many as nearly every line needs, and as many as one can. */
const SHORT_BYTES = 200;
const HEAD_BYTES = 600;
const SINCE_BYTES = 30;
const NEWLINE = 10;
const CLOSING_BRACE = 125;
const TEXT = String.raw`"((?:[^"\\\x00-\x1f]|\\.){1,255})"`;
const ID = String.raw`([!#-[\]-~]{1,128})`; // printable ASCII without quote and backslash
/** Our own lines begin with these fields in this order. */
const INCIDENT = new RegExp(
  `^\\{"schema":"${INCIDENT_SCHEMA}","id":"${ID}","host":${TEXT},"state":"(open|resolved)","revision":(\\d{1,9}),(?:"since_revision":(\\d{1,9}),)?`,
);
const EVENT_START = ownBytes(`{"schema":"${EVENT_SCHEMA}","id":"`);
const EVENT = new RegExp(`^\\{"schema":"${EVENT_SCHEMA}","id":"${ID}",`);

/**
 * Null where the line is not a JSON object, or an incident or event without an id. A line of ours is known by its two ends
 * alone: whoever uses it parses it and finds what may be wrong in between.
 */
export function headOf(lines: Buffer): Head | null {
  const begin = isPart(lines) ? lines.lastIndexOf(NEWLINE) + 1 : 0;
  const own = lines[lines.length - 1] === CLOSING_BRACE ? ownHead(lines, begin) : null;
  return own ?? parsedHead(lastLine(lines));
}

function ownHead(lines: Buffer, begin: number): Head | null {
  for (const bytes of [SHORT_BYTES, HEAD_BYTES]) {
    const head = lines.toString('latin1', begin, begin + bytes);
    const incident = INCIDENT.exec(head);
    // Where the bytes end right behind it, they may end within the revision that it continues.
    if (incident && incident[0].length <= bytes - SINCE_BYTES) {
      const [, id = '', , state, revision, since] = incident;
      return {
        schema: INCIDENT_SCHEMA,
        id,
        revision: Number(revision),
        open: state === 'open',
        since: since === undefined ? null : Number(since),
      };
    }
    const event = EVENT.exec(head);
    if (event) return { schema: EVENT_SCHEMA, id: event[1] ?? '' };
  }
  return null;
}

/** The line of the revision itself, behind those of its parts. */
export function lastLine(lines: Buffer): Buffer {
  return lines.subarray(lines.lastIndexOf(NEWLINE) + 1);
}

/** Whether the line is an event of ours by its two ends, which is found without looking at its id. */
export function isEventLine(line: Buffer): boolean {
  return line[line.length - 1] === CLOSING_BRACE && beginsWith(line, EVENT_START);
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
