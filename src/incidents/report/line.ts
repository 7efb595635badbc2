// Line: an incident on one line, for lists and live output.

import type { Incident } from '../../model/incident.ts';
import { mark as madeMark } from '../../model/mark.ts';
import { NOTHING_SAID, type Said } from '../../model/note.ts';
import { paint, paintSeverity, wrap } from './layout.ts';
import { percentText } from './quantity.ts';
import { saidMark } from './said.ts';
import { openText, rootText, shortId, UNKNOWN } from './sentences.ts';
import { dayClockText } from './when.ts';
import { whoseShort } from './whose.ts';

export interface LineOptions {
  readonly colour?: boolean;
  readonly timeZone?: string;
  /** Longest line; what is longer is cut, or reported on several where it is narrow. No limit when left out. */
  readonly width?: number;
  /** What people said about it. */
  readonly said?: Said;
  /** Up to when it is known to be open, where no daemon has written since; null or left out where one does. */
  readonly asOfMs?: number | null;
}

/** `7f3c41  2026-11-27 14:32:00  open      error      93 %  voltage sag on pdu-b-rack-14 phase 1: 121.4 → 108.2 V` */
export function renderIncidentLine(incident: Incident, options: LineOptions = {}): string {
  const { colour = false, timeZone = 'UTC', width = Number.POSITIVE_INFINITY } = options;
  const id = shortId(incident.id);
  const state = incident.mergedInto === null ? incident.state : 'merged';
  const head = `${id}  ${dayClockText(incident.openedMs, timeZone)}  ${state.padEnd(8)}  `;
  const sure = `${percentText(incident.confidence).padStart(5)}  `;
  const unsure = incident.unconfirmed === null ? '' : ', unconfirmed';
  const open = openText(incident);
  const said = `${madeMark(incident)}${incident.rootKnown ? '' : `${open.charAt(0).toLowerCase()}${open.slice(1)}${unsure}: `}${rootText(incident).replace(UNKNOWN, '')}`;
  const asOf = options.asOfMs ?? null;
  const known = asOf === null ? '' : `  [as of ${dayClockText(asOf, timeZone)}]`;
  const job = whoseShort(incident);
  const mark = (job === '' ? '' : `  [${job}]`) + known + saidMark(options.said ?? NOTHING_SAID);
  const padding = ' '.repeat(Math.max(10 - incident.severity.length, 1));
  const painted = `${paint(head.slice(0, id.length), 'bold', colour)}${head.slice(id.length)}${paintSeverity(incident.severity, colour)}${padding}${sure}`;
  const room = width - head.length - 10 - sure.length;
  if (room >= LEAST_ROOM) return painted + cut(`${said}${mark}`, room);
  const bare = `${head.trim()} ${incident.severity} ${sure.trim()}`.replace(/ +/g, ' ');
  // Too narrow for one line: what it is about is under it, whole.
  const below = wrap(`${said}${mark}`, width - id.length - 2).map((line) => ' '.repeat(id.length + 2) + line);
  const top = head.length + 10 + sure.trimEnd().length <= width ? [painted.trimEnd()] : wrap(bare, width);
  return [...top, ...below].join('\n');
}

const LEAST_ROOM = 40;

/** At a word's end, so that no number is half of one; what people said last is lost first. */
function cut(text: string, room: number): string {
  return text.length <= room ? text : `${wrap(text, room - 1)[0] ?? ''}…`;
}
