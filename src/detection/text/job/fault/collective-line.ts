// Lines of PyTorch's process groups and of NCCL: collectives that time out, ranks that do not join, peers that are gone.

import { Cursor } from '../../cursor.ts';
import type { RankLabel } from '../prefix.ts';
import { type Fault, MAX_TEXT } from './fault.ts';

/** Limits of a day and more are not in use. */
const LONGEST_WAIT_MS = 86_400_000;

export function collectiveLine(body: string, label: RankLabel | null): Fault | null {
  return (
    watchdog(body, label) ??
    watchdogStatus(body, label) ??
    dumpSignal(body, label) ??
    desync(body) ??
    heartbeat(body, label) ??
    recorderOff(body) ??
    storeGone(body)
  );
}

const global = (number: number): RankLabel => ({ number, means: 'global' });

/** "[Rank 9] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=1580, OpType=ALLREDUCE, …) ran for 600060 milliseconds …" */
function watchdog(body: string, label: RankLabel | null): Fault | null {
  const cursor = new Cursor(body);
  if (!cursor.skipPast('Watchdog caught collective operation timeout: ')) return null;
  const sequence = cursor.skipPast('SeqNum=') ? cursor.integer(15) : null;
  const operation = cursor.skipPast('OpType=') ? cursor.until(',', 64) : null;
  const ranMs = cursor.skipPast('ran for ') ? cursor.integer(9) : null;
  const attributes = { sequence, operation, waited_ms: ranMs };
  const sinceMs = Math.min(LONGEST_WAIT_MS, ranMs ?? 0);
  return { kind: 'job.collective_timeout', place: 'rank', rank: rankOf(body, label), sinceMs, attributes };
}

/**
 * "[PG 1 Rank 0] Exception (either an error or timeout) detected by watchdog at work: 1580, last enqueued …" and
 * "[PG ID 0 PG GUID 0(default_pg) Rank 5]  failure detected by watchdog at work sequence id: 120049 PG status: …".
 */
function watchdogStatus(body: string, label: RankLabel | null): Fault | null {
  const cursor = new Cursor(body);
  if (!cursor.skipPast('detected by watchdog at work')) return null;
  const sequence = cursor.skipPast(': ') ? cursor.integer(15) : null;
  const enqueued = cursor.skipPast('last enqueued') && cursor.skipPast('work: ') ? cursor.integer(15) : null;
  const completed = cursor.skipPast('last completed') && cursor.skipPast('work: ') ? cursor.integer(15) : null;
  const attributes = { sequence, process_group: groupOf(body), last_enqueued: enqueued, last_completed: completed };
  return { kind: 'job.collective_timeout', place: 'rank', rank: rankOf(body, label), attributes };
}

/** "Received a dump signal due to a collective timeout from  rank 13 and we will …", or "from this local rank". */
function dumpSignal(body: string, label: RankLabel | null): Fault | null {
  const cursor = new Cursor(body);
  if (!cursor.skipPast('dump signal due to a collective timeout from ')) return null;
  if (cursor.spaces().take('this local rank'))
    return { kind: 'job.collective_timeout', place: 'rank', rank: rankOf(body, label), attributes: numberOf(label) };
  const rank = cursor.take('rank ') ? cursor.integer(7) : null;
  return rank === null ? null : { kind: 'job.peer_failure', place: 'named', rank: global(rank) };
}

/** " [1] finished collective #2, but didn't join collective #3 (count from 1)" of the desync report. */
function desync(body: string): Fault | null {
  const at = body.indexOf("but didn't join collective #");
  if (at < 0) return null;
  const rank = /\[(\d{1,7})(?:, ?\d{1,7}){0,63}\] [^[\]]{0,80}$/.exec(body.slice(0, at))?.[1];
  if (rank === undefined) return null;
  return {
    kind: 'job.collective_desync',
    place: 'named',
    rank: global(Number(rank)),
    attributes: { rank: Number(rank) },
  };
}

/** The watchdog itself did not run: Python held its lock, or CUDA did not come back. */
function heartbeat(body: string, label: RankLabel | null): Fault | null {
  if (!body.includes('due to ProcessGroupNCCL watchdog hang')) return null;
  return { kind: 'job.rank_crashed', place: 'rank', rank: rankOf(body, label), attributes: { watchdog_hang: true } };
}

function recorderOff(body: string): Fault | null {
  if (!body.includes('potentially because FlightRecorder is disabled')) return null;
  return { kind: 'config.flight_recorder_off', place: 'job' };
}

/** "[c10d] recvValue failed on SocketImpl(fd=72, addr=[node-4]:44082, remote=[node-1]:29500): Failed to recv, got 0 bytes" */
function storeGone(body: string): Fault | null {
  const cursor = new Cursor(body);
  if (!cursor.skipPast('[c10d] ')) return null;
  const call = cursor.until(' failed on SocketImpl(', 40);
  if (call === null || !/^(?:recv|send)\w{0,32}$/.test(call)) return null;
  const remote = cursor.skipPast('remote=[') ? cursor.until(']', 128) : null;
  return { kind: 'net.connection_reset', place: 'job', severity: 'warning', attributes: { store: remote } };
}

/** "[PG 1 Rank 0]", "[PG ID 0 PG GUID 0(default_pg) Rank 5]". */
function groupOf(body: string): string | null {
  return /\[PG (?:ID )?(\d{1,9})\b/.exec(body.slice(0, MAX_TEXT))?.[1] ?? null;
}

/** What the line says in its own brackets comes before what its printer is called. */
function rankOf(body: string, label: RankLabel | null): RankLabel | null {
  const own = /\[(?:PG [^[\]]{0,60})?Rank (\d{1,7})\]/.exec(body.slice(0, 2 * MAX_TEXT))?.[1];
  return own === undefined ? label : global(Number(own));
}

function numberOf(label: RankLabel | null): { rank: number } | Record<string, never> {
  return label === null ? {} : { rank: label.number };
}
