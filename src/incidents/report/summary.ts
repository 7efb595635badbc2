// Summary: what is enough to act on, as labels with a sentence each; every form of a report begins with it.

import { join } from 'node:path';
import { namedPattern } from '../../correlation/patterns/match.ts';
import { addressText, nameText } from '../../model/component-name.ts';
import type { Incident } from '../../model/incident.ts';
import { mark } from '../../model/mark.ts';
import { plain } from '../../model/plain.ts';
import { isStandIn, logOfHost } from '../../model/unnamed-host.ts';
import { runbookOf } from './advice.ts';
import { wordsIn } from './brief.ts';
import { noEffectText } from './no-effect.ts';
import { percentText } from './quantity.ts';
import type { ReportInput } from './report-input.ts';
import { saidLines } from './said.ts';
import {
  confirmText,
  effectText,
  lifeText,
  openText,
  rootText,
  seenText,
  shortId,
  unknownText,
  worstTraces,
} from './sentences.ts';
import { adviceText, type Row, stepRows } from './steps.ts';
import { clockText, dayText } from './when.ts';
import { whoseText } from './whose.ts';

/** `7f3c41`, with a mark where nothing real is behind it. */
export function titleOf({ incident }: Pick<ReportInput, 'incident'>): string {
  const made = mark(incident).trim();
  return `INCIDENT ${shortId(incident.id)}${made === '' ? '' : ` ${made}`}`;
}

/** `node-3`; of a saved log that names none, of which log it is the host. */
export function hostOf({ incident: { host } }: ReportInput): string {
  const log = logOfHost(host);
  return log === null ? plain(host, 64) : `the host of ${plain(log, 120)}`;
}

/** `error`, `93 % sure`, `open, 1 min 47 s`. */
export function badgesOf({ incident, nowMs, place, timeZone }: Head): readonly string[] {
  const life = place === null ? seenText(incident, timeZone) : lifeText(incident, nowMs);
  return [incident.severity, `${percentText(incident.confidence)} sure`, life];
}

/** What broke, in one sentence. */
export function headlineOf({ incident, nowMs, place }: ReportInput): string {
  const where = place === null ? ' in what was read' : '';
  const root = incident.rootKnown
    ? rootText(incident)
    : `${openText(incident)}${where}. ${unknownText(incident, nowMs).what}`;
  return `${mark(incident)}${root}`;
}

/** What follows from it and what to do, in the order in which they are needed. */
export function summaryOf(input: ReportInput): Row[] {
  const { incident, nowMs, timeZone, silent } = input;
  const jobs = whoseText(incident);
  const confirm = confirmText(incident);
  const pattern = patternText(incident);
  const at = `${dayText(nowMs, timeZone)} ${clockText(nowMs, timeZone)}`;
  return [
    ...(incident.rootKnown ? knownRows(input) : unknownRows(input)),
    ...(input.nextTo ?? []).map((text) => ({ label: 'Next to it', text })),
    ...(pattern === null ? [] : [{ label: 'Pattern', text: pattern }]),
    { label: 'Runbook', text: plain(join(input.root, runbookOf(incident.root.kind))) },
    ...(jobs === null ? [] : [{ label: (incident.whose?.length ?? 0) > 1 ? 'Jobs' : 'Job', text: jobs }]),
    ...(confirm === null ? [] : [{ label: 'Confirm', text: confirm }]),
    ...(silent === null ? [] : [{ label: 'As of', text: `${at}: ${plain(silent)}` }]),
    ...(incident.made === 'injected'
      ? [{ label: 'Injected', text: 'with faultline inject: nothing real is behind it, and it counts for nothing' }]
      : []),
    ...saidLines(input.said, SAID, Number.POSITIVE_INFINITY, timeZone).map((line) => ({
      label: line.slice(0, SAID).trim(),
      text: line.slice(SAID),
    })),
  ];
}

const SAID = 12;

type Head = Pick<ReportInput, 'incident' | 'nowMs' | 'timeZone' | 'nextTo'> & {
  readonly place?: string | null | undefined;
};

/** What is read before the first step, so that every form of a report ends that step at the same word. */
export function wordsAbove(head: Head): number {
  const { incident, nowMs, timeZone, place, nextTo = [] } = head;
  const jobs = whoseText(incident);
  const effect = effectText(incident, nowMs);
  const { what, guess, find } = unknownText(incident, nowMs);
  const rows = incident.rootKnown
    ? [
        `Root cause ${rootText(incident)}`,
        `Effect ${effect === '' ? noEffectText(incident) : effect}`,
        `Do ${adviceText(incident, place, timeZone)}`,
      ]
    : [`${openText(incident)}${place === null ? ' in what was read' : ''}. ${what}. ${guess}.`, `To find out ${find}`];
  const others = [jobs === null ? '' : `Job ${jobs}`, nextTo.length === 0 ? '' : `Next to it ${nextTo.join(' ')}`];
  return wordsIn(
    [titleOf(head), ...badgesOf(head), ...rows, ...others, `→ ${runbookOf(incident.root.kind)}`].join(' '),
  );
}

function knownRows(input: ReportInput): Row[] {
  const { incident, nowMs, timeZone, place, first } = input;
  const effect = effectText(incident, nowMs);
  return [
    { label: 'Effect', text: effect === '' ? noEffectText(incident) : effect },
    { label: 'Do', text: adviceText(incident, place, timeZone) },
    ...stepRows(incident, timeZone, place, { first, spent: wordsAbove(input) }),
  ];
}

/** Within a sentence; an abbreviation stays as it is. */
function lowered(text: string): string {
  return /^[A-Z][a-z]/.test(text) ? text.charAt(0).toLowerCase() + text.slice(1) : text;
}

/** Headline, id, what of it was not seen, and what to do; null where no named pattern fits. */
export function patternText(incident: Incident, brief = false): string | null {
  const match = namedPattern(incident);
  if (match === null) return null;
  const { pattern, missing } = match;
  const part = missing.length === 0 ? '' : `, in part; not seen: ${missing.join('; ')}`;
  return `${pattern.headline} (${pattern.id}${part})${brief ? '' : `. Where that does not end it: ${lowered(pattern.remediation)}`}`;
}

function unknownRows(input: ReportInput): Row[] {
  const { incident, nowMs, timeZone, place } = input;
  const { guess, find } = unknownText(incident, nowMs);
  return [
    { label: 'Most likely', text: guess.replace(/^Most likely /, '') },
    { label: 'To find out', text: find },
    ...stepRows(incident, timeZone, place, { spent: wordsAbove(input) }),
  ];
}

/** Where each thing is that the report speaks of. */
export function placesOf({ incident, samples, logPath, place }: ReportInput): Row[] {
  const { component } = incident.root;
  return [
    ...(component === null || isStandIn(component)
      ? []
      : [{ label: 'Address', text: `${nameText(component)} is ${addressText(component)}` }]),
    ...(samples === null ? [] : [{ label: 'Samples', text: plain(samples.path) }]),
    {
      label: place === null ? 'Scanned' : 'Log',
      text:
        place === null || incident.log === 'written' ? plain(logPath) : 'not written: the disk did not take it in time',
    },
    ...(place === null ? [] : [{ label: 'Trace', text: plain(incident.traceId, 64) }]),
    ...worstTraces(incident).map(({ who, ids }) => ({ label: `Worst traces of ${who}`, text: ids.join(' ') })),
  ];
}

/** The command that gives this report of it. */
export function commandOf({ incident, place = '' }: ReportInput, format = 'json'): string {
  const id = shortId(incident.id);
  if (place === null) return `faultline scan PATH... --incident ${id} --format ${format}`;
  return `faultline explain ${id} --format ${format}${place}`;
}

/** Commands that show it again, with what each is for. */
export function againOf(input: ReportInput): Row[] {
  const { incident, samples, place = '' } = input;
  if (place === null) return [{ label: commandOf(input), text: 'the same again, from what was scanned' }];
  const hasText = incident.evidence.some((each) => 'text' in each);
  return [
    {
      label: commandOf(input),
      text: 'the whole incident with its events, as one document',
    },
    ...(hasText
      ? [
          {
            label: 'faultline scan FILE --json',
            text: 'the same events again from the log lines of the evidence, or from the logs that they are of',
          },
        ]
      : []),
    ...(samples === null
      ? []
      : [
          {
            label: `less ${plain(samples.path)}`,
            text: 'the raw samples around it: time, component, quantity, value (SI)',
          },
        ]),
    {
      label: 'faultline replay RECORDING --json',
      text: 'the same incident again, where faultline record ran at the time',
    },
  ];
}
