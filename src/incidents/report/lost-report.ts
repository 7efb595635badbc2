// Lost report as text: a line for each job, what it lost and to what under it, and the sums; what could not be decided is a line of its own.

import type { JobLostDocument, LostDocument, LostToDocument, Sums } from '../../model/documents/lost.ts';
import { kindInfo } from '../../model/kind.ts';
import { plain } from '../../model/plain.ts';
import { parseTime } from '../../model/time.ts';
import { schedulerId } from '../../model/whose.ts';
import { wrap } from './layout.ts';
import { heldText, hoursText } from './lost.ts';
import { shortId } from './sentences.ts';
import { clockText, dayText } from './when.ts';

const NUMBER = 10;
const MOST_JOBS = 50;
const MOST_INCIDENTS = 3;
const LEAST_NAME = 24;

export function renderLost(document: LostDocument, width: number, timeZone: string): string[] {
  const withAccounts = document.sum.accounted_gpu_hours !== null;
  const columns = withAccounts ? ['held', 'lost', 'undecided', 'Slurm', 'differs'] : ['held', 'lost', 'undecided'];
  const name = Math.max(width - columns.length * NUMBER, LEAST_NAME);
  const line = (text: string, cells: readonly string[]): string[] => {
    const [first = '', ...rest] = wrap(text, name - 2);
    return [`${first.padEnd(name)}${cells.map((cell) => cell.padStart(NUMBER)).join('')}`.trimEnd(), ...rest.map((each) => `  ${each}`)]; // biome-ignore format: one line
  };
  const at = (text: string): string => {
    const ms = parseTime(text)?.epochMs ?? 0;
    return `${dayText(ms, timeZone)} ${clockText(ms, timeZone)}`;
  };
  const { jobs, users, causes, sum, notes } = document;
  // Nothing ran here, by the log and by the accounting: tables of nothing say no more.
  const isEmpty = jobs.length === 0 && causes.length === 0 && !withAccounts;
  const unseen = sum.unseen_gpu_hours === null ? '' : `, and ${hoursText(sum.unseen_gpu_hours)} that ran here unseen`;
  const undecided = `  could not decide ${hoursText(sum.undecided_gpu_hours)}${unseen}`;
  const section = (title: string): string[] => ['', ...line(title, columns)];
  return [
    `GPU-hours from ${at(document.since)} to ${at(document.until)}, ${timeZone}`,
    ...(jobs.length === 0 ? ['', 'No job is known to have run in this time.'] : []),
    ...(isEmpty ? [] : section('job')),
    ...jobs.slice(0, MOST_JOBS).flatMap((job) => [...line(jobText(job), cells(job, withAccounts)), ...job.lost_to.flatMap((to) => wrap(toText(to), width - 4).map((each) => `    ${each}`))]), // biome-ignore format: one line
    ...(jobs.length > MOST_JOBS ? [`and ${jobs.length - MOST_JOBS} more: --json has all`] : []),
    ...(isEmpty ? [] : section('user')),
    ...users.flatMap((user) =>
      line(user.user === null ? 'not known' : plain(user.user, 64), cells(user, withAccounts)),
    ),
    ...(isEmpty ? [] : ['', 'cause']),
    ...causes.flatMap((to) => wrap(toText(to), width - 2).map((each) => `  ${each}`)),
    ...(isEmpty ? [] : [undecided, ...section('sum'), ...line('', cells(sum, withAccounts))]),
    ...notes.flatMap((note) => ['', ...wrap(note, width)]),
  ];
}

function cells(of: Sums, withAccounts: boolean): string[] {
  const own = [heldText(of), hoursText(of.lost_gpu_hours), hoursText(of.undecided_gpu_hours)];
  if (!withAccounts) return own;
  const { accounted_gpu_hours: accounted, difference_percent: percent } = of;
  return [...own, accounted === null ? '–' : hoursText(accounted), percent === null ? '–' : `${percent.toFixed(1)} %`];
}

/** `llama-70b (991) of alice, NODE_FAIL` */
function jobText({ job, aliases, manager, name, user, state }: JobLostDocument): string {
  if (job === null) return 'devices of no known job';
  const id = schedulerId(job, aliases, manager) ?? job;
  const called = name === null || name === id ? plain(id, 64) : `${plain(name, 64)} (${plain(id, 64)})`;
  return `${called}${user === null ? '' : ` of ${plain(user, 64)}`}${state === null ? '' : `, ${plain(state, 24)}`}`;
}

/** `8.20 GPU fell off the bus, 3.10 of it to be done again (44fa3a)` */
function toText({ cause, gpu_hours: lost, again_gpu_hours: again, incidents }: LostToDocument): string {
  const what = cause === null ? 'could not decide' : kindInfo(cause).title;
  const redone = again === 0 ? '' : `, ${hoursText(again)} of it to be done again`;
  const shown = incidents.slice(0, MOST_INCIDENTS).map(shortId).join(', ');
  const more = incidents.length > MOST_INCIDENTS ? ` and ${incidents.length - MOST_INCIDENTS} more` : '';
  return `${hoursText(lost)} ${what}${redone} (${shown}${more})`;
}
