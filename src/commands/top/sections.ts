// Sections: the parts of the live view as tables: rows of cells, with what a section is called and its key.

import { slowdownNames } from '../../detection/rules/clock-reasons.ts';
import { percentText, quantityText } from '../../incidents/report/quantity.ts';
import { shortId } from '../../incidents/report/sentences.ts';
import { durationText } from '../../incidents/report/when.ts';
import { parseComponent } from '../../model/component.ts';
import { nameText } from '../../model/component-name.ts';
import { plain } from '../../model/plain.ts';
import { compareSeverity, type Severity } from '../../model/severity.ts';
import type { Seen, SeenJob, SeenReading } from './seen.ts';

export interface Row {
  readonly cells: readonly string[];
  /** How bad it is, for its colour; null where all is well. */
  readonly severity: Severity | null;
}

export interface Section {
  readonly key: string;
  readonly name: string;
  readonly columns: readonly string[];
  readonly rows: readonly Row[];
  /** What is shown where it has no row. */
  readonly empty: string;
}

const HOT_SHARE = 1.3;
/** Off by choice, or nothing of its kind is here. */
const QUIET: ReadonlySet<string> = new Set(['works', 'off', 'absent']);
const NAME = 48;

export function sectionsOf(seen: Seen, nowMs: number): Section[] {
  return [incidentsOf(seen, nowMs), gpusOf(seen), feedsOf(seen), jobsOf(seen), sourcesOf(seen)];
}

function incidentsOf({ incidents }: Seen, nowMs: number): Section {
  const worst = [...incidents].sort((a, b) => compareSeverity(b.severity, a.severity) || b.openedMs - a.openedMs);
  const rows = worst.map(({ id, severity, title, confidence, openedMs }) => ({
    cells: [shortId(id), severity, percentText(confidence), durationText(nowMs - openedMs), plain(title)],
    severity,
  }));
  return {
    key: 'i',
    name: 'Open incidents',
    columns: ['id', 'severity', 'sure', 'open', 'what'],
    rows,
    empty: 'none is open',
  };
}

/** Readings of the components of some types, by component. */
function byComponent(seen: Seen, types: RegExp): [string, ReadonlyMap<string, SeenReading>][] {
  const found = new Map<string, Map<string, SeenReading>>();
  for (const reading of seen.readings) {
    if (!types.test(reading.component)) continue;
    const own = found.get(reading.component) ?? new Map<string, SeenReading>();
    own.set(reading.quantity, reading);
    found.set(reading.component, own);
  }
  const order = (text: string): string =>
    seen.names.get(text)?.replace(/\d+/, (digits) => digits.padStart(6, '0')) ?? text;
  return [...found].sort(([a], [b]) => (order(a) < order(b) ? -1 : 1));
}

/** The gravest open incident that the component has part in. */
function worstOf({ incidents }: Seen, text: string): Seen['incidents'][number] | undefined {
  return incidents.filter(({ about }) => about.has(text)).sort((a, b) => compareSeverity(b.severity, a.severity))[0];
}

function nameOf(seen: Seen, text: string): string {
  const component = parseComponent(text);
  return seen.names.get(text) ?? (component === null ? plain(text, NAME) : nameText(component));
}

const of = (own: ReadonlyMap<string, SeenReading>, quantity: string, unit: string): string => {
  const value = own.get(quantity)?.value;
  return value === undefined ? '' : quantityText(value, unit);
};

function gpusOf(seen: Seen): Section {
  const rows = byComponent(seen, /^gpu\//).map(([text, own]): Row => {
    const slow = slowdownNames(own.get('clock_event_reasons')?.value ?? 0);
    const limit = of(own, 'power_limit', 'W');
    const power = of(own, 'power', 'W');
    return {
      cells: [
        nameOf(seen, text),
        limit === '' ? power : `${power.replace(/ W$/, '')} / ${limit}`,
        of(own, 'sm_clock', 'Hz'),
        of(own, 'temperature', 'Cel'),
        of(own, 'utilization', '1'),
        slow.length === 0 ? '' : slow.join(', '),
        (seen.uses.get(text) ?? []).map((job) => plain(job, NAME)).join(', '),
      ],
      severity: slow.length === 0 ? null : 'warning',
    };
  });
  const columns = ['gpu', 'power / limit', 'SM clock', 'temp', 'busy', 'slowed by', 'job'];
  return { key: 'g', name: 'GPUs', columns, rows, empty: 'no GPU is read: faultline doctor says why' };
}

function feedsOf(seen: Seen): Section {
  const rows = byComponent(seen, /^(?:pdu|ups|psu)/).map(([text, own]): Row => {
    const voltage = own.has('voltage') ? of(own, 'voltage', 'V') : of(own, 'input_voltage', 'V');
    const power = own.has('power') ? of(own, 'power', 'W') : of(own, 'input_power', 'W');
    const worst = worstOf(seen, text);
    const name = worst === undefined ? '' : shortId(worst.id);
    return {
      cells: [nameOf(seen, text), voltage, of(own, 'current', 'A'), power, name],
      severity: worst?.severity ?? null,
    };
  });
  // What an open incident is about is looked at first; branches have their current alone, so what has a voltage comes before them.
  const rank = ({ cells, severity }: Row): number => (severity === null ? 2 : 0) + ((cells[1] ?? '') === '' ? 1 : 0);
  rows.sort((a, b) => rank(a) - rank(b));
  return {
    key: 'f',
    name: 'Feeds',
    columns: ['feed', 'voltage', 'current', 'power', 'incident'],
    rows,
    empty: 'no PDU, UPS or supply is read',
  };
}

function jobsOf(seen: Seen): Section {
  const steps = new Map(
    seen.readings.filter(({ quantity }) => quantity === 'step_time').map((each) => [each.component, each]),
  );
  const rows = [...seen.jobs, ...unlisted(seen)].map(({ id, name, user, devices, iteration, stepMs }): Row => {
    const usual =
      steps.get(`job/${id}`)?.usual ??
      [...steps.values()].find(({ component }) => component.startsWith(`rank/${id}/`))?.usual ??
      null;
    const share = usual === null || stepMs === null || usual <= 0 ? null : stepMs / 1000 / usual;
    const gpus = devices.filter((device) => device.startsWith('gpu')).length;
    return {
      cells: [
        plain(name ?? id, NAME),
        user === null ? '' : plain(user, NAME),
        gpus === 0 ? '' : String(gpus),
        iteration === null ? '' : String(iteration),
        stepMs === null ? '' : quantityText(stepMs / 1000, 's'),
        usual === null ? '' : quantityText(usual, 's'),
        share === null ? '' : `×${share.toFixed(2)}`,
      ],
      severity: share !== null && share >= HOT_SHARE ? 'warning' : null,
    };
  });
  const columns = ['job', 'user', 'GPUs', 'step', 'took', 'usual', 'now'];
  return { key: 'j', name: 'Jobs', columns, rows, empty: 'no job is known' };
}

/** Jobs that only their log is known of: no scheduler or process names them. */
function unlisted({ jobs, readings }: Seen): SeenJob[] {
  const listed = new Set(jobs.flatMap(({ id, aliases }) => [id, ...aliases]));
  return readings.flatMap(({ component, quantity, value }) => {
    const id = /^job\/(.+)$/.exec(component)?.[1];
    if (quantity !== 'step_time' || id === undefined || listed.has(id)) return [];
    const iteration =
      readings.find((each) => each.component === component && each.quantity === 'iteration')?.value ?? null;
    return [{ id, aliases: [], name: null, user: null, devices: [], iteration, stepMs: value * 1000 }];
  });
}

function sourcesOf({ sources }: Seen): Section {
  const bad = sources.filter(({ status }) => !QUIET.has(status));
  const works = sources.filter(({ status }) => status === 'works').length;
  const rows = bad.map(
    ({ source, status, detail }): Row => ({
      cells: [plain(source, NAME), status.replaceAll('_', ' '), plain(detail)],
      severity: 'warning',
    }),
  );
  const name = `Sources: ${works} work${rows.length === 0 ? '' : `, ${rows.length} do not`}`;
  return { key: 's', name, columns: ['source', 'state', 'why'], rows, empty: 'none is in trouble' };
}
