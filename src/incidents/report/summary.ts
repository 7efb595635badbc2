// Summary: what is enough to act on, as labels with a sentence each; every form of a report begins with it.

import { namedPattern } from '../../correlation/patterns/match.ts';
import { addressText, nameText } from '../../model/component-name.ts';
import type { Incident } from '../../model/incident.ts';
import { mark } from '../../model/mark.ts';
import { plain } from '../../model/plain.ts';
import { isStandIn, logOfHost } from '../../model/unnamed-host.ts';
import { runbookOf } from './advice.ts';
import { headOf } from './head.ts';
import { hurtText } from './no-effect.ts';
import type { ReportInput } from './report-input.ts';
import { saidLines } from './said.ts';
import { confirmText, shortId } from './sentences.ts';
import { specialOf } from './special.ts';
import type { Row } from './steps.ts';
import { worstTraces } from './traces-text.ts';
import { clockText, dayText } from './when.ts';
import { whoseText } from './whose.ts';

/** `node-3`; of a saved log that names none, the host that its lines name for the root, or of which log it is the host. */
export function hostOf({ incident: { host: own, root } }: ReportInput): string {
  const named = root.component?.type === 'host' ? root.component.id : root.component?.host;
  const host = logOfHost(own) === null ? own : (named ?? own);
  const log = logOfHost(host);
  return log === null ? plain(host, 64) : `the host of ${plain(log, 120)}`;
}

/** What broke, in one sentence. */
export function headlineOf(input: ReportInput): string {
  return `${mark(input.incident)}${headOf(input).root}`;
}

/** What follows from it and what to do, in the order in which they are needed. */
export function summaryOf(input: ReportInput): Row[] {
  const { incident, nowMs, timeZone, silent } = input;
  const head = headOf(input);
  const jobs = whoseText(incident);
  const confirm = confirmText(incident);
  const pattern = patternText(incident);
  const at = `${dayText(nowMs, timeZone)} ${clockText(nowMs, timeZone)}`;
  return [
    ...(head.effect === null ? [] : [{ label: 'Effect', text: head.effect }]),
    ...(head.guess === null ? [] : [{ label: 'Most likely', text: head.guess.replace(/^Most likely /, '') }]),
    { label: head.effect === null ? 'To find out' : 'Do', text: head.does },
    ...head.steps,
    ...head.nextTo.map((text) => ({ label: 'Next to it', text })),
    ...head.behind.filter(({ label }) => !label.startsWith('Job')),
    ...(pattern === null ? [] : [{ label: 'Pattern', text: pattern }]),
    { label: 'Runbook', text: runbookOf(incident.root.kind) },
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

/** Within a sentence; an abbreviation stays as it is. */
function lowered(text: string): string {
  return /^[A-Z][a-z]/.test(text) ? text.charAt(0).toLowerCase() + text.slice(1) : text;
}

/** Headline, id, what of it was not seen, and what to do; null where no named pattern fits. */
export function patternText(incident: Incident, brief = false): string | null {
  const match = namedPattern(incident);
  if (match === null) return null;
  const { pattern } = match;
  const effect = hurtText(incident);
  // What the report says ended is not what was not seen.
  const missing = effect === null ? match.missing : match.missing.filter((why) => !OF_WORK.test(why));
  const part = missing.length === 0 ? '' : `, in part; not seen: ${missing.join('; ')}`;
  return `${pattern.headline} (${pattern.id}${part})${brief || specialOf(incident) !== null ? '' : `. Where that does not end it: ${lowered(pattern.remediation)}`}`;
}

/** Of a pattern's effect, in the words of the catalogue. */
const OF_WORK = /\b(?:job|process|rank|service|pod)s?\b/;

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
export function commandOf({ incident, place = '', scanned = 'PATH...', again }: ReportInput, format = 'json'): string {
  const id = shortId(incident.id);
  if (again !== undefined) return again;
  if (place === null) return `faultline scan ${scanned} --incident ${id} --format ${format}`;
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
