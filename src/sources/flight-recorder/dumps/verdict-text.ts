// A verdict in a sentence and as evidence; every text of a dump is cut to a bound.

import type { BriefFlightRecorderDocument } from '../../../model/documents/flight-recorder.ts';
import type { Evidence } from '../../../model/event.ts';

type Verdict = BriefFlightRecorderDocument['verdicts'][number];

const MAX_TEXT = 200;
const MAX_LISTED = 32;
const MAX_EVIDENCE = 6;
const MAX_FRAMES = 4;

const DID: Readonly<Record<Verdict['type'], string>> = {
  not_joined: 'did not enter',
  silent_rank: 'left no dump and is waited for in',
  mismatch: 'came with another operation, size or type to',
  stream_blocked: 'entered and never started',
  fabric_or_gpu: 'cannot be told in',
  late_completer: 'did not finish what the peers finished in',
  p2p_unpaired: 'left without its other side',
  lock_order: 'entered the groups in another order, seen at',
  outside_nccl: 'wait for nothing recorded in',
  none: 'wait for nothing recorded in',
};

/** The same where no rank can be named. */
const NONE_NAMED: Readonly<Record<Verdict['type'], string>> = {
  not_joined: 'some rank, which one cannot be told, did not enter',
  silent_rank: 'ranks without a dump are waited for, which of them cannot be told, in',
  mismatch: 'ranks came with different operations, sizes or types to',
  stream_blocked: 'ranks entered and never started',
  fabric_or_gpu: 'which rank is at fault cannot be told in',
  late_completer: 'which rank did not finish cannot be told in',
  p2p_unpaired: 'a send or receive is without its other side in',
  lock_order: 'ranks entered the groups in different orders, seen at',
  outside_nccl: 'ranks wait for nothing recorded in',
  none: 'ranks wait for nothing recorded in',
};

export function short(text: string): string {
  return text.length > MAX_TEXT ? `${text.slice(0, MAX_TEXT - 1)}…` : text;
}

/** "1, 2, 3 and 61 more". */
export function listed(ranks: readonly number[], count = ranks.length): string {
  const shown = ranks.slice(0, MAX_LISTED);
  const more = count - shown.length;
  return shown.join(', ') + (more > 0 ? ` and ${more} more` : '');
}

export function verdictText(verdict: Verdict): string {
  const { culprits, waiting, group, sequence, operation } = verdict;
  const did =
    culprits.length === 0
      ? NONE_NAMED[verdict.type]
      : `rank ${listed(culprits, verdict.culprits_count)} ${DID[verdict.type]}`;
  const where = `${short(operation ?? 'operation')} ${sequence} of group ${short(group?.desc || group?.name || '?')}`;
  const wait = waiting.length === 0 ? '' : `; waiting: rank ${listed(waiting, verdict.waiting_count)}`;
  return `${did} ${where}${wait}`;
}

/** The innermost frame that is not of torch: where the job's own code called; null where no stack was recorded. */
export function codeText(of: Verdict['frames'][number] | undefined): string | null {
  const frame = of?.stack.find(({ file }) => !/[/\\]torch[/\\]|^<|\?\?/.test(file)) ?? of?.stack[0];
  return frame === undefined ? null : short(`${frame.function} (${frame.file}:${frame.line})`);
}

/**
 * What one rank did, next to its name: "did not enter all_reduce number 9 of the world group, last called from
 * forward (/srv/train/loop.py:95)". `rank`: null for those of other hosts, which are named.
 */
export function didText(verdict: Verdict, rank: number | null): string {
  const who = rank === null ? `rank ${listed(verdict.culprits, verdict.culprits_count)} ` : '';
  const frames = verdict.frames.find((each) => each.rank === (rank ?? verdict.culprits[0]));
  const code = codeText(frames);
  const from = frames?.of === 'unfinished operation' ? 'in' : 'last called from';
  return `${who}${DID[verdict.type]} ${whereText(verdict)}${code === null ? '' : `, ${from} ${code}`}`;
}

/** "in all_reduce number 9 of the world group". */
export function waitsText(verdict: Verdict): string {
  return `in ${whereText(verdict)}`;
}

function whereText({ group, sequence, operation }: Verdict): string {
  const known = group?.desc === 'undefined' ? '' : (group?.desc ?? '');
  const name = known === 'default_pg' ? 'the world group' : `group ${short(known || group?.name || '?')}`;
  return `${short(operation ?? 'operation')} number ${sequence} of ${name}`;
}

/** The sentence, what the ranks recorded, and where in the code they stand. */
export function evidenceOf(verdict: Verdict, timeMs: number): Evidence[] {
  const source = 'flight-recorder';
  const lines = [verdictText(verdict)];
  for (const each of verdict.evidence.slice(0, MAX_EVIDENCE)) {
    const what =
      each.operation === undefined
        ? `entered up to ${each.enqueued}`
        : `${short(each.operation)} ${each.sequence} of group ${short(each.group ?? '')} ${short(each.input_sizes ?? '')} ${each.time ?? ''}`;
    lines.push(`rank ${each.rank}: ${short(each.what)}: ${what}`);
  }
  for (const { rank, stack } of verdict.frames.slice(0, 2)) {
    const frames = stack.slice(0, MAX_FRAMES).map((frame) => short(`${frame.function} ${frame.file}:${frame.line}`));
    lines.push(`rank ${rank}: ${frames.join(' < ')}`);
  }
  return lines.map((text) => ({ source, timeMs, text }));
}
