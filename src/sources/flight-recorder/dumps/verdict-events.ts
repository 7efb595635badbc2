// Turns a verdict on dumps into events: who the others wait for, and which ranks of this host wait.

import { rankComponent } from '../../../identity/rank/links.ts';
import type { Component } from '../../../model/component.ts';
import type { BriefFlightRecorderDocument } from '../../../model/documents/flight-recorder.ts';
import type { Attributes, Evidence } from '../../../model/event.ts';
import type { Kind } from '../../../model/kind.ts';
import type { EventInput } from '../../../model/record.ts';
import { codeText, didText, evidenceOf, listed, short, verdictText, waitsText } from './verdict-text.ts';

type Verdict = BriefFlightRecorderDocument['verdicts'][number];
type Straggler = BriefFlightRecorderDocument['stragglers'][number];

export interface DumpContext {
  readonly job: string;
  readonly host: string;
  /** Global ranks of the job that are known to run on this host. All others are reported once, as of the job. */
  readonly localRanks: ReadonlySet<number>;
  /** Time of the newest dump, epoch ms. */
  readonly newestMs: number;
  readonly nowMs: number;
  /** Brings what dumps say of time to the clock of the two above; left out: they go by the same one. */
  readonly steady?: (wallMs: number) => number;
}

const SOURCE = 'flight-recorder';
/** What is not the job's own: where to look, and that it is hardware. */
const NEXT: Readonly<Partial<Record<Verdict['type'], Attributes>>> = {
  late_completer: {
    action: 'inspect_hardware',
    next: 'XID, ECC and NVLink of the GPUs of these ranks, then their network ports',
  },
};
/** A job that continues has operations of the last second unfinished: a dump of it accuses no rank. */
const LEAST_WAIT_MS = 10_000;
/** Waits longer than this are a clock that is wrong. */
const LONGEST_WAIT_MS = 24 * 3_600_000;
/** Where the clock cannot be trusted: how long before its dump a stall may have begun (the longest usual timeout). */
const UNKNOWN_START_MS = 1_800_000;
const MAX_RANKS = 64;

const KIND: Readonly<Partial<Record<Verdict['type'], Kind>>> = {
  not_joined: 'job.collective_desync',
  silent_rank: 'job.collective_desync',
  stream_blocked: 'job.collective_desync',
  late_completer: 'job.collective_desync',
  p2p_unpaired: 'job.collective_desync',
  lock_order: 'job.collective_desync',
  mismatch: 'job.collective_mismatch',
};

/** Verdict by verdict, as they are asked for: they are many where many ranks wait. */
export function* verdictEvents(
  document: BriefFlightRecorderDocument,
  context: DumpContext,
): Generator<EventInput, void, undefined> {
  for (const verdict of document.verdicts) yield* stallEvents(document, verdict, context);
  yield* stragglerEvents(document, context);
}

function stallEvents(document: BriefFlightRecorderDocument, verdict: Verdict, context: DumpContext): EventInput[] {
  if (verdict.group === null) return [];
  const when = times(verdict.since, context);
  if (when === null) return [];
  const { job, localRanks } = context;
  const base = {
    ...when,
    observedMs: context.nowMs,
    trust: 'tenant',
    source: SOURCE,
    attributes: attributesOf(document, verdict, job),
    evidence: evidenceOf(verdict, when.timeMs),
  } as const;
  const event = (kind: Kind, component: Component, more: Attributes = {}): EventInput => ({
    ...base,
    kind,
    component,
    attributes: { ...base.attributes, ...more },
    discriminator: `${verdict.type} ${verdict.group?.name} ${verdict.sequence}`,
  });
  const kind = KIND[verdict.type];
  const here = (rank: number): boolean => localRanks.has(rank);
  // A rank of another host may have left its dump there.
  const all = verdict.type !== 'silent_rank' || holdsOthers(document, localRanks);
  const named = all ? verdict.culprits : verdict.culprits.filter(here);
  // Where none is known to run here, it may be that no process could be looked at.
  const notHere = (ranks: readonly number[], count = ranks.length): Attributes => ({
    [localRanks.size === 0 ? 'ranks' : 'ranks_elsewhere']: listed(ranks, count),
  });
  const events: EventInput[] = [];
  const [only] = named;
  if (kind !== undefined && only !== undefined && named.length === 1 && here(only)) {
    events.push(event(kind, rankComponent(job, only, context.host), { rank: only, did: didText(verdict, only) }));
  } else if (kind !== undefined && only !== undefined) {
    // One cause, however many ranks it shows at.
    const local = named.filter(here);
    const elsewhere = named.filter((rank) => !here(rank));
    events.push(
      event(
        kind,
        { type: 'job', id: job },
        {
          ...(local.length === 0 ? {} : { ranks: listed(local) }),
          ...(elsewhere.length === 0 ? {} : notHere(elsewhere)),
          did: didText(verdict, null),
        },
      ),
    );
  }
  const culprits = new Set(verdict.culprits);
  for (const rank of verdict.waiting.filter((each) => here(each) && !culprits.has(each)).slice(0, MAX_RANKS)) {
    events.push(
      event('job.collective_timeout', rankComponent(job, rank, context.host), { rank, did: waitsText(verdict) }),
    );
  }
  // None of its ranks runs here, and none is accused: that it does not move is reported all the same, once.
  if (localRanks.size === 0 && events.length === 0 && verdict.waiting.length > 0) {
    const more = { ...notHere(verdict.waiting, verdict.waiting_count), did: waitsText(verdict) };
    events.push(event('job.collective_timeout', { type: 'job', id: job }, more));
  }
  return events;
}

/**
 * Whether dumps of other hosts lie here too, so that each rank's would have to be here; not known where none of the job's ranks
 * is known to run here, and then taken for true.
 */
function holdsOthers({ job }: BriefFlightRecorderDocument, localRanks: ReadonlySet<number>): boolean {
  const missing = new Set(job.missing_ranks);
  const local = [...localRanks].filter((rank) => !missing.has(rank)).length;
  return localRanks.size === 0 || job.dumps_count - job.refused_count > local;
}

function attributesOf(document: BriefFlightRecorderDocument, verdict: Verdict, job: string): Attributes {
  const differ = document.mismatches.find(
    ({ group, sequence }) =>
      verdict.type === 'mismatch' && group.name === verdict.group?.name && sequence === verdict.sequence,
  );
  const own = verdict.frames.find(({ rank }) => verdict.culprits.includes(rank)) ?? verdict.frames[0];
  return {
    job,
    verdict: verdict.type,
    verdict_confidence: verdict.confidence,
    group: short(verdict.group?.name ?? ''),
    group_description: short(verdict.group?.desc ?? ''),
    sequence: verdict.sequence,
    operation: verdict.operation === null ? null : short(verdict.operation),
    culprits: listed(verdict.culprits, verdict.culprits_count),
    waiting: listed(verdict.waiting, verdict.waiting_count),
    waiting_count: verdict.waiting_count,
    ...NEXT[verdict.type],
    code: codeText(own),
    text: verdictText(verdict),
    ...(differ === undefined
      ? {}
      : {
          expected: short(`${differ.expected.operation} ${differ.expected.input_sizes} ${differ.expected.dtype}`),
          found: short(`${differ.found.operation} ${differ.found.input_sizes} ${differ.found.dtype}`),
        }),
    dumps: document.job.dumps_count - document.job.refused_count,
    dumps_refused: document.job.refused_count,
    ranks_without_dump: document.job.missing_ranks_count,
  };
}

/** Null for what is too fresh to be a stall. The clock is that of the rank's host, and its word the tenant's. */
function times(
  since: string | null,
  { newestMs, nowMs, steady }: DumpContext,
): Pick<EventInput, 'timeMs' | 'interval'> | null {
  const latestMs = Math.min(newestMs, nowMs);
  const wallMs = since === null ? Number.NaN : Date.parse(since);
  const sinceMs = Number.isNaN(wallMs) ? wallMs : (steady?.(wallMs) ?? wallMs);
  if (!(sinceMs <= latestMs + LEAST_WAIT_MS && sinceMs >= latestMs - LONGEST_WAIT_MS)) {
    return { timeMs: latestMs, interval: { earliestMs: latestMs - UNKNOWN_START_MS, latestMs } };
  }
  return latestMs - sinceMs < LEAST_WAIT_MS ? null : { timeMs: sinceMs, interval: { earliestMs: sinceMs, latestMs } };
}

/** One a rank of this host; where none of the job runs here, one of the job for all of them. */
function stragglerEvents(document: BriefFlightRecorderDocument, context: DumpContext): EventInput[] {
  const { job, host, localRanks, newestMs, nowMs } = context;
  const timeMs = Math.min(newestMs, nowMs);
  const event = (component: Component, each: Straggler, more: Attributes): EventInput => {
    const text =
      `rank ${each.rank} comes ${each.lateness_ms} ms late in ${Math.round(each.share * 100)} % of ${each.samples} ` +
      `${short(each.operation)} of group ${short(each.group.name)}`;
    const evidence: Evidence[] = [{ source: SOURCE, timeMs, text }];
    const { lateness_ms, share, samples } = each;
    return {
      kind: 'job.straggler',
      component,
      timeMs,
      observedMs: nowMs,
      trust: 'tenant',
      source: SOURCE,
      attributes: { job, ...more, lateness_ms, share, samples, operation: short(each.operation), text },
      evidence,
      discriminator: `straggler ${each.group.name} ${each.operation}`,
    };
  };
  const [worst] = document.stragglers;
  if (localRanks.size === 0 && worst !== undefined) {
    const ranks = [...new Set(document.stragglers.map(({ rank }) => rank))];
    return [event({ type: 'job', id: job }, worst, { ranks: listed(ranks) })];
  }
  return document.stragglers
    .filter(({ rank }) => localRanks.has(rank))
    .map((each) => event(rankComponent(job, each.rank, host), each, { rank: each.rank }));
}
