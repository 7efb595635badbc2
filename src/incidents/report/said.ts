// Said: what people said, in words — of an incident for lists and reports, of maintenance for its list.

import { type Maintenance, NOTHING_SAID, type Note, type Said, type Silence } from '../../model/note.ts';
import { plain } from '../../model/plain.ts';
import { labelled } from './layout.ts';
import { clockText, dayText } from './when.ts';

function words(note: Note, timeZone: string): string {
  const reported = note.note === null ? '' : `: ${plain(note.note, 200)}`;
  return `by ${plain(note.by, 64)}, ${timeText(note.atMs, timeZone)}${reported}`;
}

function timeText(atMs: number, timeZone: string): string {
  return `${dayText(atMs, timeZone)} ${clockText(atMs, timeZone)}`;
}

/** `  [acknowledged by anna; wrong]`, empty where nothing was said. */
export function saidMark({ acknowledged, verdict }: Said): string {
  const marks = [
    ...(acknowledged === null ? [] : [`acknowledged by ${plain(acknowledged.by, 64)}`]),
    ...(verdict === null ? [] : [`called ${verdict.verdict}`]),
  ];
  return marks.length === 0 ? '' : `  [${marks.join('; ')}]`;
}

/** Lines of a report; none where nothing was said. */
export function saidLines(said: Said = NOTHING_SAID, indent: number, width: number, timeZone: string): string[] {
  const { acknowledged, verdict, bundle } = said;
  const lines: string[] = [];
  if (acknowledged !== null) lines.push(...labelled('Acked', words(acknowledged, timeZone), indent, width));
  if (verdict !== null) {
    const really = verdict.rootKind === null ? '' : `, it was ${verdict.rootKind}`;
    lines.push(...labelled('Verdict', `${verdict.verdict}${really}, ${words(verdict, timeZone)}`, indent, width));
  }
  if (bundle !== undefined) {
    const { error, sha256 } = bundle;
    const what = error === null ? `${plain(bundle.file, 255)}, sha256 ${sha256}` : `not made: ${plain(error, 200)}`;
    lines.push(...labelled('Bundle', `${what}, ${words(bundle, timeZone)}`, indent, width));
  }
  return lines;
}

/** `since 2026-11-28 00:21:00 until 2026-11-28 02:21:00 (Europe/Berlin), declared by anna: new fans` */
export function maintenanceText(start: Maintenance, timeZone: string): string {
  const until = start.untilMs === null ? 'until it is ended' : `until ${timeText(start.untilMs, timeZone)}`;
  const reported = start.note === null ? '' : `: ${plain(start.note, 200)}`;
  return `since ${timeText(start.atMs, timeZone)} ${until} (${timeZone}), declared by ${plain(start.by, 64)}${reported}`;
}

/** `from 2026-11-28 00:21:00 until 2026-11-28 02:21:00 (Europe/Berlin), by anna: switch upgrade` */
export function silenceText(silence: Silence, timeZone: string): string {
  const until = silence.untilMs === null ? 'until it is removed' : `until ${timeText(silence.untilMs, timeZone)}`;
  const reason = silence.note === null ? '' : `: ${plain(silence.note, 200)}`;
  return `from ${timeText(silence.fromMs ?? silence.atMs, timeZone)} ${until} (${timeZone}), by ${plain(silence.by, 64)}${reason}`;
}
