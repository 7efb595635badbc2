// Lines of launchers: how a worker ended, that workers were ordered to end, that the job meets again in another size.

import { Cursor } from '../../cursor.ts';
import type { RankLabel } from '../prefix.ts';
import type { Fault } from './fault.ts';

const SIGKILL = 9;
const SIGTERM = 15;
const SIGINT = 2;
const LARGEST_SIGNAL = 64;

/** The rank of which the summary of torchrun speaks from its line "rank : 10 (local_rank: 2)" on. */
export interface Summary {
  rank: number | null;
}

export function launcherLine(body: string, summary: Summary): Fault | null {
  return (
    failed(body) ??
    summaryLine(body, summary) ??
    returned(body) ??
    noticed(body) ??
    sruns(body) ??
    orderedToEnd(body) ??
    resized(body) ??
    ended(body)
  );
}

/** "failed (exitcode: -9) local_rank: 3 (pid: 812917) of binary: /opt/env/bin/python" */
function failed(body: string): Fault | null {
  const cursor = new Cursor(body);
  if (!cursor.skipPast('failed (exitcode: ')) return null;
  const code = signed(cursor);
  const local = cursor.skipPast('local_rank: ') ? cursor.integer(5) : null;
  const pid = cursor.skipPast('(pid: ') ? cursor.integer(10) : null;
  if (code === null) return null;
  return exit(code, local === null ? null : { number: local, means: 'local' }, { local_rank: local, pid });
}

/** "  rank      : 10 (local_rank: 2)", then "  exitcode  : -11 (pid: 48211)". */
function summaryLine(body: string, summary: Summary): Fault | null {
  const found = /^\s{1,8}(rank|exitcode)\s{1,10}: (-?\d{1,7}) \((?:local_rank|pid): (\d{1,10})\)/.exec(
    body.slice(0, 80),
  );
  if (found === null) return null;
  const [, what, first, second] = found;
  if (what === 'rank') {
    summary.rank = Number(first);
    return null;
  }
  const { rank } = summary;
  summary.rank = null;
  if (rank === null) return null;
  return exit(Number(first), { number: rank, means: 'global' }, { rank, pid: Number(second) });
}

/** DeepSpeed: "['/usr/bin/python3', '-u', 'train.py', '--local_rank=7'] exits with return code = -9" */
function returned(body: string): Fault | null {
  const found = /\] exits with return code = (-?\d{1,5})\b/.exec(body);
  if (found === null) return null;
  const local = /--local_rank=(\d{1,5})\b/.exec(body)?.[1];
  const rank: RankLabel | null = local === undefined ? null : { number: Number(local), means: 'local' };
  return exit(Number(found[1]), rank, local === undefined ? {} : { local_rank: Number(local) });
}

/** MPI: "mpirun noticed that process rank 11 with PID 48211 on node node-4 exited on signal 11 (Segmentation fault)." */
function noticed(body: string): Fault | null {
  const found =
    /noticed that process rank (\d{1,7}) with PID (\d{1,10}) on node \S{1,128} exited on signal (\d{1,3})\b/.exec(body);
  if (found === null) return null;
  const [rank, pid, signal] = found.slice(1).map(Number);
  if (rank === undefined || pid === undefined || signal === undefined) return null;
  return exit(-signal, { number: rank, means: 'global' }, { rank, pid });
}

/** "srun: error: node-6: task 1: Out Of Memory": a task is a rank where each rank is one. */
function sruns(body: string): Fault | null {
  const found = /^srun: error: \S{1,128}: task (\d{1,7}): (.{1,60})$/.exec(body.slice(0, 240));
  if (found === null) return null;
  const rank: RankLabel = { number: Number(found[1]), means: 'global' };
  const how = found[2] ?? '';
  if (/^(?:Killed|Out Of Memory)/.test(how))
    return { kind: 'job.rank_killed', place: 'rank', rank, attributes: { how } };
  if (/^(?:Segmentation fault|Bus error|Aborted|Exited with exit code [1-9])/.test(how))
    return { kind: 'job.rank_crashed', place: 'rank', rank, attributes: { how } };
  return null;
}

/** The launcher itself, or Slurm for it, got the word: every worker will end, and not by itself. */
function orderedToEnd(body: string): Fault | null {
  const ordered =
    /Received (?:Signals\.SIGTERM|15) death signal|\bgot signal: 15\b/.test(body) && !body.includes('closing signal');
  return ordered ? { kind: 'job.rank_killed', place: 'job', attributes: { signal: SIGTERM } } : null;
}

/** "[default] Detected 1 new nodes from group_rank=0; will restart worker group" */
function resized(body: string): Fault | null {
  const found = /Detected (\d{1,6}) new nodes from group_rank=/.exec(body)?.[1];
  return found === undefined ? null : { kind: 'job.requeued', place: 'job', attributes: { new_nodes: Number(found) } };
}

function ended(body: string): Fault | null {
  const done = body.includes('[after training is done]') || body.includes('worker group successfully finished');
  return done ? { kind: 'job.ended', place: 'job' } : null;
}

/** A code below zero is a signal; one that a launcher sends to end what is left says nothing of the worker. */
function exit(code: number, rank: RankLabel | null, attributes: Fault['attributes']): Fault | null {
  const signal = code < 0 ? -code : code > 128 && code <= 128 + LARGEST_SIGNAL ? code - 128 : 0;
  if (code === 0 || signal === SIGTERM || signal === SIGINT) return null;
  const more = signal === 0 ? { exit_code: code } : { signal };
  const kind = signal === SIGKILL ? 'job.rank_killed' : 'job.rank_crashed';
  return { kind, place: 'rank', rank, attributes: { ...attributes, ...more } };
}

function signed(cursor: Cursor): number | null {
  const minus = cursor.take('-');
  const value = cursor.integer(5);
  return value === null ? null : minus ? -value : value;
}
