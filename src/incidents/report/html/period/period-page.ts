// Period page: the incidents of a host over some days as one HTML file: how many, of what, what they cost, how often they were right.

import type { LostDocument, Sums } from '../../../../model/documents/lost.ts';
import type { Incident } from '../../../../model/incident.ts';
import { kindInfo } from '../../../../model/kind.ts';
import type { Said } from '../../../../model/note.ts';
import { plain } from '../../../../model/plain.ts';
import { SEVERITIES } from '../../../../model/severity.ts';
import type { Reliability } from '../../../reliability.ts';
import { gpuTimeText, heldText, hoursText } from '../../lost.ts';
import { percentText } from '../../quantity.ts';
import { rootText, shortId } from '../../sentences.ts';
import { doText } from '../../steps.ts';
import { clockText, dayText, durationText } from '../../when.ts';
import { html } from '../escape.ts';
import { definitions, renderPage, table, wide } from '../page.ts';
import { gravestOpen, incidentTable } from './all-incidents.ts';
import { barsOf } from './bars.ts';
import { causesOf, devicesOf } from './counts.ts';

export interface PeriodInput {
  readonly host: string;
  readonly sinceMs: number;
  readonly untilMs: number;
  readonly timeZone: string;
  /** Why the log speaks up to `untilMs` only; null where a daemon writes it. */
  readonly silent: string | null;
  /** What a command needs to find the log, such as ` --log-directory DIR`; empty where it is the usual one. */
  readonly place: string;
  /** All that were open in the time, none that was merged into another. */
  readonly incidents: readonly Incident[];
  readonly said: (id: string) => Said;
  readonly lost: LostDocument;
  readonly reliability: Reliability;
  /** Notifications that were held back, by reason; null where no daemon says. */
  readonly held: ReadonlyMap<string, number> | null;
}

const COUNTED = 50;

/** The whole file. */
export function renderPeriodPage(input: PeriodInput): string {
  const { host, sinceMs, untilMs, timeZone, incidents } = input;
  const at = (ms: number): string => `${dayText(ms, timeZone)} ${clockText(ms, timeZone)}`;
  const real = incidents.filter(({ made }) => made === undefined);
  const made = incidents.filter((one) => one.made !== undefined);
  const words = real.length === 1 ? '1 incident' : `${real.length} incidents`;
  const besides = made.length === 0 ? '' : `, and ${made.length} simulated or injected, not counted`;
  return renderPage({
    title: plain(`${words} on ${host}, ${dayText(sinceMs, timeZone)} to ${dayText(untilMs, timeZone)}${besides}`),
    header: `<p class="brand">${html(`${plain(host, 64)}, ${at(sinceMs)} to ${at(untilMs)}, ${timeZone}`)}</p>\n<h1>${html(`${words} in ${periodText(untilMs - sinceMs)}${besides}`)}</h1>`,
    sections: [
      { id: 'glance', title: 'At a glance', body: glance(input, real) },
      { id: 'when', title: 'When', body: real.length === 0 ? '<p>None.</p>' : barsOf(real, input) },
      { id: 'causes', title: 'Causes', body: causes(input, real) },
      { id: 'lost', title: 'GPU-hours lost', body: lost(input.lost) },
      { id: 'devices', title: 'Devices that come again', body: devices(real, timeZone) },
      { id: 'held-back', title: 'What was held back', body: heldBack(incidents, input) },
      { id: 'right', title: 'How often it was right', body: right(input.reliability) },
      { id: 'all', title: 'All incidents', body: all(real, made, input) },
    ],
    footer: '<p>faultline report --html. One file: nothing is loaded and nothing runs.</p>',
  });
}

const DAY_MS = 86_400_000;

/** Days and hours: `6 days 21 h`, which agrees with the dates next to it. */
function periodText(ms: number): string {
  const hours = Math.round((ms % DAY_MS) / 3_600_000);
  if (ms < 2 * DAY_MS || hours === 0) return durationText(ms);
  if (hours === 24) return durationText(ms - (ms % DAY_MS) + DAY_MS);
  return `${durationText(ms)} ${hours} h`;
}

function glance({ lost: { sum }, silent, timeZone, place }: PeriodInput, real: readonly Incident[]): string {
  const of = SEVERITIES.toReversed().flatMap((severity) => {
    const count = real.filter((each) => each.severity === severity).length;
    return count === 0 ? [] : [`${count} ${severity}`];
  });
  const open = real.filter(({ state }) => state === 'open').length;
  const first = gravestOpen(real);
  const isHeldKnown = sum.held_gpu_hours > 0 && heldText(sum) === hoursText(sum.held_gpu_hours);
  const share = isHeldKnown ? `, ${percentText(sum.lost_gpu_hours / sum.held_gpu_hours)} of what jobs had` : '';
  return definitions([
    { label: 'Incidents', text: of.length === 0 ? 'none' : of.join(', ') },
    { label: 'Open now', text: String(open) },
    ...(first === null
      ? []
      : [
          {
            label: 'Do first',
            text: `${shortId(first.id)}, ${rootText(first)}. ${capital(doText(first, timeZone, place))}`,
          },
        ]),
    {
      label: 'GPU time',
      text: `${gpuTimeText(sum.lost_gpu_hours)} lost${share}; ${gpuTimeText(sum.undecided_gpu_hours)} to what has no known root`,
    },
    ...(silent === null ? [] : [{ label: 'As of', text: plain(silent) }]),
  ]);
}

function causes({ lost: { causes: costs } }: PeriodInput, real: readonly Incident[]): string {
  const rows = causesOf(real, costs);
  if (rows.length === 0) return '<p>None.</p>';
  const cells = rows
    .slice(0, COUNTED)
    .map(({ kind, pattern, count, worst, gpuHours }) => [
      html(kind === null ? 'no root cause yet' : kindInfo(kind).title),
      html(pattern ?? ''),
      String(count),
      html(worst),
      gpuHours === null ? '' : hoursText(gpuHours),
    ]);
  return wide(
    'Table of causes',
    table('Root causes, most frequent first', ['Cause', 'Pattern', 'Incidents', 'Worst', 'GPU-hours lost'], cells),
  );
}

function lost(document: LostDocument): string {
  const { jobs, users, notes } = document;
  const sums = (of: Sums): string[] => [heldText(of), hoursText(of.lost_gpu_hours), hoursText(of.undecided_gpu_hours)];
  const columns = ['Had', 'Lost', 'To what has no known root'];
  const hit = jobs.filter(({ lost_gpu_hours, undecided_gpu_hours }) => lost_gpu_hours + undecided_gpu_hours > 0);
  const byJob = hit
    .slice(0, COUNTED)
    .map((job) => [
      html(job.job === null ? 'devices of no known job' : plain(job.name ?? job.job, 64)),
      html(job.user === null ? '' : plain(job.user, 64)),
      ...sums(job),
    ]);
  const byUser = users
    .slice(0, COUNTED)
    .map((user) => [html(user.user === null ? 'not known' : plain(user.user, 64)), ...sums(user)]);
  const said = notes.map((note) => `<p>${html(plain(note))}</p>`).join('');
  if (byJob.length === 0) return `<p>None that is known.</p>${said}`;
  return (
    wide('Table of jobs', table('GPU-hours by job; min: GPU-minutes', ['Job', 'User', ...columns], byJob)) +
    wide('Table of users', table('GPU-hours by user; min: GPU-minutes', ['User', ...columns], byUser)) +
    said
  );
}

function devices(real: readonly Incident[], timeZone: string): string {
  const again = devicesOf(real).filter(({ count }) => count > 1);
  if (again.length === 0) return '<p>No device was the root of more than one.</p>';
  const rows = again
    .slice(0, COUNTED)
    .map(({ name, address, count, kinds, lastMs }) => [
      html(name),
      html(address),
      String(count),
      html(kinds.map((kind) => kindInfo(kind).title).join(', ')),
      html(`${dayText(lastMs, timeZone)} ${clockText(lastMs, timeZone)}`),
    ]);
  return wide(
    'Table of devices',
    table('Roots of more than one incident', ['Device', 'Address', 'Incidents', 'Of what', 'Last'], rows),
  );
}

/** What is in the log and does not count as a fault that is known. */
function heldBack(incidents: readonly Incident[], { said, held }: PeriodInput): string {
  const count = (is: (incident: Incident) => boolean): string => String(incidents.filter(is).length);
  const rows = [
    ['No root cause yet: only symptoms were seen', count(({ made, rootKnown }) => made === undefined && !rootKnown)],
    [
      'Unconfirmed: a user of the host could have written all of it',
      count(({ made, unconfirmed }) => made === undefined && unconfirmed !== null),
    ],
    ['Called wrong by an operator', count(({ id }) => said(id).verdict?.verdict === 'wrong')],
    [
      'Injected or simulated: nothing real is behind it, counted nowhere else here',
      count(({ made }) => made !== undefined),
    ],
  ];
  const counted = wide(
    'Table of what was held back',
    table(
      'Not counted on as known faults',
      ['Why', 'Incidents'],
      rows.map((row) => row.map(html)),
    ),
  );
  if (held === null)
    return `${counted}<p>What people were not sent is known to a running daemon alone, and none answered.</p>`;
  if (held.size === 0) return `${counted}<p>No notification was held back that the daemon remembers.</p>`;
  const reasons = [...held].sort((a, b) => b[1] - a[1]).slice(0, COUNTED);
  const cells = reasons.map(([why, times]) => [html(plain(why, 200)), String(times)]);
  return (
    counted +
    wide(
      'Table of notifications that were held back',
      table('Notifications that people were not sent', ['Why', 'Times'], cells),
    )
  );
}

function right({ bins, undecided, calibrationError }: Reliability): string {
  const used = bins.filter(({ right: yes, wrong, none }) => yes + wrong + none > 0);
  const head =
    calibrationError === null
      ? 'None is judged yet: faultline verdict ID right|wrong.'
      : `${percentText(calibrationError)} between how sure it was and how often it was right.`;
  const rows = used.map((bin) => [
    `${Math.round(bin.from * 100)} to ${Math.round(bin.to * 100)} %`,
    ...[bin.right, bin.wrong, bin.none].map(String),
    bin.shareRight === null ? '' : percentText(bin.shareRight),
  ]);
  const none = ['no root cause yet', ...[undecided.right, undecided.wrong, undecided.none].map(String), ''];
  const columns = ['Sure', 'Right', 'Wrong', 'No verdict', 'Share right'];
  if (used.length === 0 && undecided.right + undecided.wrong + undecided.none === 0) return `<p>${html(head)}</p>`;
  return `<p>${html(head)}</p>${wide('Table of verdicts', table("Operators' verdicts, by how sure it was", columns, [...rows, none]))}`;
}

function all(real: readonly Incident[], made: readonly Incident[], input: PeriodInput): string {
  const counted =
    real.length === 0 ? '<p>None.</p>' : incidentTable('Table of all incidents', 'Newest first', real, input);
  if (made.length === 0) return counted;
  const caption = 'Simulated or injected, newest first: nothing real is behind them';
  return counted + incidentTable('Table of what is simulated or injected', caption, made, input);
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
