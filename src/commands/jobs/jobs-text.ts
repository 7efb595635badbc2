// Jobs text: each job as a few labelled lines, with how it is known.

import { labelled } from '../../incidents/report/layout.ts';
import { clockText, dayText, durationText } from '../../incidents/report/when.ts';
import { indexText } from '../../model/component-name.ts';
import type { JobDocument, JobsDocument, PodDocument } from '../../model/documents/jobs.ts';
import { plain } from '../../model/plain.ts';
import { parseTime } from '../../model/time.ts';
import { schedulerId } from '../../model/whose.ts';
import type { Layout } from './known-text.ts';

const LABEL = 12;
const MOST = 8;

export function jobsText({ jobs }: JobsDocument, layout: Layout): string[] {
  return jobs.flatMap((job, at) => [...(at === 0 ? [] : ['']), ...jobLines(job, layout)]);
}

function jobLines(job: JobDocument, layout: Layout): string[] {
  const rows = [
    ['ranks', ranksText(job)],
    ['devices', listed(job.devices)],
    ['pods', listed(job.pods.map(podText))],
    ['step', stepText(job, layout)],
    ['framework', frameworkText(job)],
    ['log', listed(job.logs.map(({ path, known_by }) => `${plain(path, 300)} (${plain(known_by, 96)})`))],
    ['runs', listed((job.run_folders ?? []).map(({ tool, path, known_by }) => `${plain(tool, 16)} ${plain(path, 300)} (${plain(known_by, 96)})`))], // biome-ignore format: one line
    ['known by', listed(job.known_by.map((by) => plain(by, 96)))],
  ] as const;
  return [
    ...labelled('', headText(job, layout), 0, layout.width),
    ...rows.flatMap(([name, text]) => (text === '' ? [] : labelled(`  ${name}`, text, LABEL, layout.width))),
  ];
}

/** `llama-70b (slurm job 991) of alice, account nlp, queue gpu, restart 1, since 2026-11-28 14:02 (3 h 10 min)` */
function headText(job: JobDocument, { timeZone, nowMs }: Layout): string {
  const { id, aliases, manager, name, user, account, queue, attempt, started_at } = job;
  const called = plain(name ?? id, 96);
  const names = [schedulerId(id, aliases, manager) ?? id, id, ...aliases];
  const other = [...new Set(names)].filter((each) => each !== (name ?? id)).slice(0, 3).map((each) => plain(each, 96)); // biome-ignore format: one line
  const by = manager === 'process' ? '' : `${plain(manager, 32)}${other.length > 0 ? ' ' : ''}`;
  const second = `${by}${other.join(', ')}`;
  const startMs = started_at === null ? null : (parseTime(started_at)?.epochMs ?? null);
  const since = startMs === null ? '' : `, since ${dayText(startMs, timeZone)} ${clockText(startMs, timeZone)} (${durationText(nowMs - startMs)})`; // biome-ignore format: one line
  return [
    called,
    second === '' ? '' : ` (${second})`,
    user === null ? ', user unknown' : ` of ${plain(user, 64)}`,
    account === null ? '' : `, account ${plain(account, 64)}`,
    queue === null ? '' : `, queue ${plain(queue, 64)}`,
    attempt === null || attempt === 0 ? '' : `, restart ${attempt}`,
    since,
  ].join('');
}

/** `0…7 of 16 (RANK); pids 400…407` */
function ranksText({ ranks, world_size: world }: JobDocument): string {
  if (ranks.length === 0) return '';
  const of = world === null ? '' : ` of ${world}`;
  const by = [...new Set(ranks.map(({ known_by }) => plain(known_by, 64)))];
  const pids = ranks.flatMap(({ pid }) => (pid === null ? [] : String(pid)));
  const roles = [...new Set(ranks.flatMap(({ role }) => (role === null ? [] : plain(role, 32))))];
  const gpus = ranks.slice(0, MOST).filter((rank) => rank.gpus.length > 0);
  return [
    `${indexText(ranks.map(({ rank }) => String(rank)))}${of} (${listed(by)})`,
    pids.length === 0 ? '' : `; pids ${indexText(pids)}`,
    roles.length === 0 ? '' : `; ${listed(roles)}`,
    gpus.length === 0 ? '' : `; ${gpus.map((rank) => `${rank.rank} on ${rank.gpus.map((gpu) => plain(gpu, 32)).join(' and ')}`).join(', ')}${ranks.length > MOST ? ', …' : ''}`, // biome-ignore format: one line
  ].join('');
}

function stepText({ training_step: step, scheduler_step: of }: JobDocument, { nowMs }: Layout): string {
  const parts = of === null ? [] : [`step ${plain(of, 32)} of the scheduler`];
  if (step !== null) {
    const took = step.step_time_ms === null ? '' : ` (${Math.round(step.step_time_ms)} ms)`;
    const atMs = parseTime(step.time)?.epochMs ?? nowMs;
    parts.unshift(`${step.iteration}${took}, ${durationText(nowMs - atMs)} ago`);
  }
  return parts.join('; ');
}

export function podText({ namespace, name, uid, container }: PodDocument): string {
  const pod = name === '' ? plain(uid, 64) : `${plain(namespace, 64)}/${plain(name, 96)}`;
  return container === null ? pod : `${pod} (${plain(container, 64)})`;
}

function listed(items: readonly string[]): string {
  const more = items.length - MOST;
  return items.slice(0, MOST).join(', ') + (more > 0 ? ` and ${more} more` : '');
}

function frameworkText({ framework }: JobDocument): string {
  if (framework === null) return '';
  const sure = framework.confidence === undefined ? '' : `, ${Math.round(100 * framework.confidence)} %`;
  return `${plain(framework.name, 64)} (${plain(framework.known_by, 96)}${sure})`;
}
