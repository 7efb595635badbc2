// Text: an incident for a terminal at 3 a.m.; the first three lines are enough to act on.

import { join } from 'node:path';
import { addressText, nameText } from '../../model/component-name.ts';
import type { Incident } from '../../model/incident.ts';
import { mark } from '../../model/mark.ts';
import type { Said } from '../../model/note.ts';
import { plain } from '../../model/plain.ts';
import { isStandIn } from '../../model/unnamed-host.ts';
import { runbookOf } from './advice.ts';
import { headOf } from './head.ts';
import { labelled, paint, paintSeverity, together, wrap } from './layout.ts';
import { lifeRows } from './life.ts';
import { percentText } from './quantity.ts';
import { saidLines } from './said.ts';
import { confirmText, LISTED, lifeText, listed, seenText, shortId } from './sentences.ts';
import { evidenceText } from './source-text.ts';
import { patternText } from './summary.ts';
import { orderLegend, timelineRows } from './timeline.ts';
import { tracesText } from './traces-text.ts';
import { clockText, dayText, minuteText, otherDay } from './when.ts';

export interface Samples {
  readonly path: string;
  readonly fromMs: number;
  readonly toMs: number;
}

export interface TextOptions {
  /** Columns, at least 40; 100 is what it is made for. */
  readonly width: number;
  readonly colour: boolean;
  readonly nowMs: number;
  /** IANA name, "UTC", "Europe/Berlin"; the zone of the process when left out. */
  readonly timeZone?: string;
  /** Snapshot of the raw samples, where there is one. */
  readonly samples?: Samples | undefined;
  /** Path of the log that the incident is in. */
  readonly logPath?: string;
  /** Folder that docs/ lies in, where the reader may be elsewhere. */
  readonly root?: string;
  /** What people said about it. */
  readonly said?: Said;
  /** Why nothing newer is known, where no daemon writes any more. */
  readonly silent?: string | null;
  /** False where the reader is reported otherwise how to see it again. */
  readonly hint?: boolean;
  /** False where no incident log has it, so that no command finds it by its id. */
  readonly logged?: boolean;
  /** What may belong to it and is not joined to it. */
  readonly nextTo?: readonly string[];
  /** What of that is to be seen before anything is done. */
  readonly first?: string | undefined;
  /** Folder of flight-recorder dumps that lie with what was read. */
  readonly dumps?: string | null;
  /** What a command needs to find the incident where it lies, such as ` --config FILE`. */
  readonly place?: string;
}

const LABEL = 12;
const WIDE_LABEL = 15;
const NARROWEST = 40;
const GAP = 3;

function headline(incident: Incident, options: TextOptions): string[] {
  const start = `INCIDENT ${shortId(incident.id)}${mark(incident) === '' ? '' : ` ${mark(incident).trim()}`}`;
  const sure = `${percentText(incident.confidence)} sure`;
  const life = options.logged === false ? seenText(incident, zoneOf(options)) : lifeText(incident, options.nowMs);
  const left = `${start}   ${incident.severity}   ${sure}`;
  const severity = paintSeverity(incident.severity, options.colour);
  const head = `${paint(start, 'bold', options.colour)}   ${severity}   ${sure}`;
  const room = options.width - left.length - life.length;
  return room >= GAP ? [`${head}${' '.repeat(room)}${life}`] : [head, ...wrap(life, options.width)];
}

function zoneOf({ timeZone }: TextOptions): string {
  return timeZone ?? Intl.DateTimeFormat().resolvedOptions().timeZone;
}

/** What a command needs to find the incident; null where no log has it. */
function placeOf({ logged, place }: TextOptions): string | null | undefined {
  return logged === false ? null : place;
}

/** What was put in looks like the real thing everywhere else. */
function madeLines({ made }: Incident, width: number): string[] {
  if (made !== 'injected') return [];
  return labelled(
    'Injected',
    'with faultline inject: nothing real is behind it, and it counts for nothing',
    LABEL,
    width,
  );
}

/** From the root to whom to call, and what has no room before that. */
function headLines(incident: Incident, options: TextOptions): string[] {
  const { width, nowMs, nextTo = [], first, dumps } = options;
  const head = headOf({ incident, nowMs, nextTo, first, dumps, timeZone: zoneOf(options), place: placeOf(options) });
  const indent = incident.rootKnown ? LABEL : WIDE_LABEL;
  const line = (label: string, text: string | null): string[] => text === null ? [] : labelled(label, text, indent, width); // biome-ignore format: one line
  const job = line((incident.whose?.length ?? 0) > 1 ? 'Jobs' : 'Job', head.job);
  const runbook = together(`→ ${runbookOf(incident.root.kind)}`);
  const above = incident.rootKnown
    ? [...line('Root cause', head.root), ...job, ...line('Effect', head.effect)]
    : [...wrap(`${head.root}.`, width), ...(head.guess === null ? [] : wrap(`${head.guess}.`, width)), ...job];
  return [
    ...above,
    ...nextLines(head.nextTo, indent, width),
    ...(incident.rootKnown ? line('Do', `${head.does} ${runbook}`) : line('To find out', `${head.does}   ${runbook}`)),
    ...[...head.steps, ...head.behind].flatMap(({ label, text }) => line(label, text)),
    ...line('Confirm', confirmText(incident)),
  ];
}

function nextLines(nextTo: readonly string[], indent: number, width: number): string[] {
  return nextTo.flatMap((text, i) => labelled(i === 0 ? 'Next to it' : '', text, indent, width));
}

/** The report's form of the signs of certainty: the reason, and at the right end whether it speaks for or against. */
function parts(incident: Incident, width: number): string[] {
  const said = incident.confidenceParts.flatMap((part) => {
    const why = part.code === 'calibration' ? part.why.replace(HELD_TO, '') : part.why;
    return why === '' ? [] : [{ ...part, why }];
  });
  return said.slice(0, LISTED).flatMap(({ why, delta }, index) => {
    const sign = delta > 0 ? '+' : delta < 0 ? '−' : '·';
    const lines = labelled(index === 0 ? 'Sure because' : '', plain(why), WIDE_LABEL, width - 4);
    return lines.map((line, at) => (at === 0 ? `${line.padEnd(width - 1)}${sign}` : line));
  });
}

/** Where the number comes from, which is nothing to read at night; the other forms have it. */
const HELD_TO = /(?:: )?held to how often such claims were right when they were tested$/;

/** What was done about it, and an empty line; nothing where nothing was. */
function lifeLines(incident: Incident, width: number, timeZone: string): string[] {
  const rows = lifeRows(incident, timeZone).flatMap(({ stage, when, time, outcome, what }) =>
    labelled(stage, [when, time, outcome, what].filter((part) => part !== '').join(' · '), WIDE_LABEL, width),
  );
  return rows.length === 0 ? [] : [...rows, ''];
}

/** With the days where these are not the one that the report names. */
function minutesText({ fromMs, toMs }: Samples, openedMs: number, timeZone: string): string {
  const at = (ms: number): string => otherDay(ms, openedMs, timeZone) + minuteText(ms, timeZone);
  return `${at(fromMs)}–${at(toMs)}`;
}

/** The whole report, without a newline at its end. All text of others is made plain; colour is the only escape in it. */
export function renderIncidentText(incident: Incident, options: TextOptions): string {
  const width = Math.max(options.width, NARROWEST);
  const { samples } = options;
  const timeZone = zoneOf(options);
  const ruledOut = incident.ruledOut.map(
    ({ what, why }) => plain(what, 96) + (why === '' ? '' : ` (${plain(why, 200)})`),
  );
  const seen = [evidenceText(incident.evidence)];
  if (samples) seen.push(`black box ${minutesText(samples, incident.openedMs, timeZone)}`);
  if (options.hint !== false)
    seen.push(`faultline explain ${shortId(incident.id)} --format json${options.place ?? ''}`);
  const pattern = patternText(incident, true);
  const traces = tracesText(incident);
  const component = incident.root.component;
  const address = component === null ? '' : addressText(component);
  const named = address !== '' && !address.includes(nameText(component)) && !isStandIn(component);
  return [
    ...headline(incident, { ...options, width }),
    ...headLines(incident, { ...options, width }),
    ...(options.silent === null || options.silent === undefined
      ? []
      : labelled(
          'As of',
          `${dayText(options.nowMs, timeZone)} ${clockText(options.nowMs, timeZone)}: ${options.silent}`,
          LABEL,
          width,
        )),
    ...madeLines(incident, width),
    ...saidLines(options.said, LABEL, width, timeZone),
    '',
    ...labelled('  ', `${dayText(incident.openedMs, timeZone)}, ${timeZone}${orderLegend(incident)}`, 3, width),
    ...timelineRows(incident, width, timeZone),
    '',
    ...lifeLines(incident, width, timeZone),
    ...parts(incident, width),
    ...(ruledOut.length === 0 ? [] : labelled('Not', listed(ruledOut, ' · '), WIDE_LABEL, width)),
    ...(pattern === null ? [] : labelled('Pattern', pattern, WIDE_LABEL, width)),
    ...(traces === null ? [] : labelled('Worst traces', traces, WIDE_LABEL, width)),
    ...labelled('Evidence', seen.join(' · '), WIDE_LABEL, width),
    ...(named ? labelled('Address', `${nameText(component)} is ${address}`, WIDE_LABEL, width) : []),
    ...(options.root === undefined
      ? []
      : labelled('Runbook', plain(join(options.root, runbookOf(incident.root.kind))), WIDE_LABEL, width)),
    ...(samples ? labelled('Samples', plain(samples.path), WIDE_LABEL, width) : []),
    ...(options.logPath === undefined ? [] : labelled('Log', plain(options.logPath), WIDE_LABEL, width)),
    ...(incident.log === 'written'
      ? []
      : labelled('Log', 'not written: the disk did not take it in time', WIDE_LABEL, width)),
  ].join('\n');
}
