// Text: an incident for a terminal at 3 a.m.; the first three lines are enough to act on.

import { join } from 'node:path';
import type { Action } from '../../model/action.ts';
import { addressText, indexText, nameOf, nameText } from '../../model/component-name.ts';
import type { Evidence } from '../../model/event.ts';
import type { Impact, Incident } from '../../model/incident.ts';
import { hasRole, kindInfo } from '../../model/kind.ts';
import { bareTitle, mark } from '../../model/mark.ts';
import type { Said } from '../../model/note.ts';
import { plain } from '../../model/plain.ts';
import { actionText, runbookOf } from './advice.ts';
import { changeOf, limitOf, sourceText } from './happening.ts';
import { labelled, paint, paintSeverity, together, wrap } from './layout.ts';
import { lostText } from './lost.ts';
import { changeText, percentText } from './quantity.ts';
import { saidLines } from './said.ts';
import { orderLegend, timelineRows } from './timeline.ts';
import { clockText, dayText, durationText, minuteText, otherDay } from './when.ts';
import { whoseText } from './whose.ts';

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
}

const LABEL = 12;
const WIDE_LABEL = 15;
const LISTED = 12;
const NARROWEST = 40;
const GAP = 3;

/** The first six digits: what people use of an id. */
export function shortId(id: string): string {
  return plain(id, 64).slice(0, 6);
}

/** `open, 1 min 47 s`, `resolved after 4 min, opened again twice`, `merged into 21ab09`. */
export function lifeText(incident: Incident, nowMs: number): string {
  const { mergedInto, state, openedMs, updatedMs, resolvedMs, reopened } = incident;
  if (mergedInto !== null) return `merged into ${shortId(mergedInto)}`;
  const again = reopened === 0 ? '' : `, opened again ${TIMES[reopened] ?? `${reopened} times`}`;
  if (state === 'open') return `open, ${durationText(nowMs - openedMs)}${again}`;
  return `resolved after ${durationText((resolvedMs ?? updatedMs) - openedMs)}${again}`;
}

const TIMES: Readonly<Record<number, string>> = { 1: 'once', 2: 'twice' };

/** What is held to be the root in one sentence, with its numbers where the event is at hand. */
export function rootText(incident: Incident): string {
  const event = incident.events.find((each) => each.id === incident.root.eventId);
  const change = event === undefined ? null : changeOf([event]);
  if (event === undefined || change === null) return plain(bareTitle(incident));
  const unsure = incident.unconfirmed === null || !incident.rootKnown ? '' : 'Unconfirmed: ';
  const { duration_ms: duration } = event.attributes;
  const lasted = typeof duration === 'number' ? ` for ${durationText(duration)}` : '';
  return `${unsure}${kindInfo(event.kind).title} on ${nameText(event.component)}: ${change}${lasted}${limitOf(event)}`;
}

/** Equal effects on siblings as one: `llama rank 0…2, 4…7: collective timed out`. */
function impactTexts(impacts: readonly Impact[]): string[] {
  const groups: { readonly what: string; readonly group: string; readonly indices: string[]; readonly text: string }[] =
    [];
  for (const impact of impacts) {
    const text = impactText(impact);
    const { group, index } = nameOf(impact.component);
    const name = nameText(impact.component);
    const what = index !== '' && text.startsWith(name) ? text.slice(name.length) : null;
    const same = what === null ? undefined : groups.find((each) => each.what === what && each.group === group);
    if (same === undefined)
      groups.push({ what: what ?? '', group: what === null ? '' : group, indices: [index], text });
    else same.indices.push(index);
  }
  return groups.map(({ what, group, indices, text }) =>
    indices.length === 1 ? text : `${group} ${indexText(indices)}${what}`,
  );
}

function impactText(impact: Impact): string {
  if (impact.text !== '') return plain(impact.text);
  const name = `${nameText(impact.component)} ${plain(impact.quantity, 48).replaceAll('_', ' ')}`;
  if (impact.before === null || impact.after === null) return name;
  return `${name} ${changeText([impact.before], [impact.after], plain(impact.unit, 16))}`;
}

function listed(items: readonly string[], separator: string): string {
  const rest = items.length - LISTED;
  return items.slice(0, LISTED).join(separator) + (rest > 0 ? `${separator}and ${rest} more` : '');
}

/** Actions whose object is the node that the target sits in. */
const ON_NODE: ReadonlySet<Action> = new Set(['reboot_node', 'power_cycle_node', 'drain_node']);

function actText(incident: Incident): string {
  const { kind, target, why } = incident.action;
  // Where nothing is to be done here it may still be known where to look.
  if (kind === 'none' && why !== '' && !hasRole(incident.root.kind, 'explains')) return plain(why);
  // Why is worth a line only where the action is not the kind's usual one.
  const usual = incident.rootKnown && target !== null && kind === kindInfo(incident.root.kind).action;
  const node = ON_NODE.has(kind) ? target?.host : undefined;
  const name = target === null ? null : nameText(target);
  const what = actionText(kind, node === undefined ? name : plain(node), node !== undefined || target?.type === 'host');
  return why === '' || usual ? what : `${what} (${plain(why)})`;
}

function evidenceText(evidence: readonly Evidence[]): string {
  const counts = new Map<string, number>();
  for (const { source } of evidence) counts.set(sourceText(source), (counts.get(sourceText(source)) ?? 0) + 1);
  const items = evidence.length === 1 ? '1 item' : `${evidence.length} items`;
  const sources = listed(
    [...counts].map(([source, count]) => `${source} ${count}`),
    ', ',
  );
  return sources === '' ? items : `${items} (${sources})`;
}

function headline(incident: Incident, options: TextOptions): string[] {
  const start = `INCIDENT ${shortId(incident.id)}${mark(incident) === '' ? '' : ` ${mark(incident).trim()}`}`;
  const sure = `${percentText(incident.confidence)} sure`;
  const life = lifeText(incident, options.nowMs);
  const left = `${start}   ${incident.severity}   ${sure}`;
  const severity = paintSeverity(incident.severity, options.colour);
  const head = `${paint(start, 'bold', options.colour)}   ${severity}   ${sure}`;
  const room = options.width - left.length - life.length;
  return room >= GAP ? [`${head}${' '.repeat(room)}${life}`] : [head, ...wrap(life, options.width)];
}

/** What it did, and what it cost up to now; `said` is there already. */
function effectText(incident: Incident, nowMs: number, said = ''): string {
  const effects = impactTexts(incident.impact).filter((effect) => effect.replace(': ', ' ') !== said);
  const lost = lostText(incident, nowMs);
  return listed(lost === null ? effects : [...effects.slice(0, LISTED - 1), lost], '; ');
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

function knownRoot(incident: Incident, width: number, nowMs: number): string[] {
  const effect = effectText(incident, nowMs);
  return [
    ...labelled('Root cause', rootText(incident), LABEL, width),
    ...jobLines(incident, LABEL, width),
    ...labelled('Effect', effect === '' ? 'none seen on a job so far' : effect, LABEL, width),
    ...labelled('Do', `${actText(incident)} ${together(`→ ${runbookOf(incident.root.kind)}`)}`, LABEL, width),
    ...confirmLines(incident, LABEL, width),
  ];
}

/** Nothing where no job is known. */
function jobLines(incident: Incident, indent: number, width: number): string[] {
  const text = whoseText(incident);
  return text === null ? [] : labelled((incident.whose?.length ?? 0) > 1 ? 'Jobs' : 'Job', text, indent, width);
}

/** Nothing where it is confirmed. */
function confirmLines({ unconfirmed }: Incident, indent: number, width: number): string[] {
  if (unconfirmed === null) return [];
  const by = unconfirmed === '' ? '' : `; would be confirmed by: ${plain(unconfirmed, 200)}`;
  return labelled('Confirm', `a user of the host could have written all of it${by}`, indent, width);
}

/** How the title of an incident without a root begins, which the report says at its head. */
export const UNKNOWN = /^No root cause yet(?:, unconfirmed)?: /;

/** How the reason of its action begins, where the label has said it. */
const FIND = /^No root cause yet\. To find out: /;

function unknownRoot(incident: Incident, width: number, nowMs: number): string[] {
  const [likely, ...others] = [...incident.alternatives].sort((a, b) => b.confidence - a.confidence);
  const place = ({ root, confidence }: Incident['alternatives'][number]): string => {
    const where = root.component === null ? '' : ` on ${nameText(root.component)}`;
    return `${kindInfo(root.kind).title}${where} (${percentText(confidence)})`;
  };
  const what = plain(bareTitle(incident)).replace(UNKNOWN, '');
  const effect = effectText(incident, nowMs, what);
  const possible = others.length === 0 ? '' : `; possible: ${listed(others.map(place), ', ')}`;
  const guess = likely === undefined ? 'Nothing points to a cause yet' : `Most likely ${place(likely)}${possible}`;
  const { kind, why } = incident.action;
  const lacking = why === '' ? 'faultline doctor shows which sources this host lacks' : plain(why).replace(FIND, '');
  const find = kind === 'none' ? lacking : actText(incident).replace(`(${plain(why)})`, `(${lacking})`);
  return [
    ...wrap(`No root cause yet. ${what}${effect === '' ? '' : `; ${effect}`}.`, width),
    ...wrap(`${guess}.`, width),
    ...jobLines(incident, WIDE_LABEL, width),
    ...labelled('To find out', `${find}   ${together(`→ ${runbookOf(incident.root.kind)}`)}`, WIDE_LABEL, width),
    ...confirmLines(incident, WIDE_LABEL, width),
  ];
}

/** The report's form of the signs of certainty: the reason, and at the right end whether it speaks for or against. */
function parts(incident: Incident, width: number): string[] {
  return incident.confidenceParts.slice(0, LISTED).flatMap(({ why, delta }, index) => {
    const sign = delta > 0 ? '+' : delta < 0 ? '−' : '·';
    const lines = labelled(index === 0 ? 'Sure because' : '', plain(why), WIDE_LABEL, width - 4);
    return lines.map((line, at) => (at === 0 ? `${line.padEnd(width - 1)}${sign}` : line));
  });
}

/** With the days where these are not the one that the report names. */
function minutesText({ fromMs, toMs }: Samples, openedMs: number, timeZone: string): string {
  const at = (ms: number): string => otherDay(ms, openedMs, timeZone) + minuteText(ms, timeZone);
  return `${at(fromMs)}–${at(toMs)}`;
}

/** The whole report, without a newline at its end. All text of others is made plain; colour is the only escape in it. */
export function renderIncidentText(incident: Incident, options: TextOptions): string {
  const width = Math.max(options.width, NARROWEST);
  const { timeZone = Intl.DateTimeFormat().resolvedOptions().timeZone, samples } = options;
  const ruledOut = incident.ruledOut.map(
    ({ what, why }) => plain(what, 96) + (why === '' ? '' : ` (${plain(why, 200)})`),
  );
  const seen = [evidenceText(incident.evidence)];
  if (samples) seen.push(`black box ${minutesText(samples, incident.openedMs, timeZone)}`);
  if (options.hint !== false) seen.push(together(`faultline explain ${shortId(incident.id)} --format json`));
  const component = incident.root.component;
  const address = component === null ? '' : addressText(component);
  const named = address !== '' && !address.includes(nameText(component));
  return [
    ...headline(incident, { ...options, width }),
    ...(incident.rootKnown ? knownRoot : unknownRoot)(incident, width, options.nowMs),
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
    ...parts(incident, width),
    ...(ruledOut.length === 0 ? [] : labelled('Not', listed(ruledOut, ' · '), WIDE_LABEL, width)),
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
