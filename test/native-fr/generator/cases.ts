// Jobs with one injected fault each, and what their dumps allow one to know.

import { dumpOf, EPOCH_MS } from './dump.ts';
import { type Call, type Faults, type Group, run } from './job.ts';
import { at as atMoment, type Moment } from './moment.ts';

export interface Case {
  readonly kind: string;
  readonly files: readonly {
    readonly name: string;
    readonly bytes: Buffer;
    /** When it was written, epoch ms; absent: now, long after. */
    readonly modifiedMs?: number;
  }[];
  readonly type: string;
  readonly culprits: readonly number[];
  /** Types that are as true. */
  readonly alsoTypes?: readonly string[];
}

/** Numbers from 0 up to, not including, `below`; the same for the same seed. */
export function randomOf(seed: number): (below: number) => number {
  let state = (seed * 2_654_435_761 + 1) >>> 0;
  return (below) => {
    state ^= state << 13;
    state >>>= 0;
    state ^= state >>> 17;
    state ^= state << 5;
    state >>>= 0;
    return state % below;
  };
}

export const KINDS = [
  'healthy',
  'not_joined',
  'cascade',
  'silent_rank',
  'mismatch_operation',
  'mismatch_size',
  'mismatch_dtype',
  'order',
  'lock_order',
  'late_completer',
  'fabric',
  'stream_blocked',
  'p2p_unpaired',
  'p2p_skipped',
  'p2p_in_world',
  'two_faults',
  'uneven',
  'uneven_stop',
  'coalesced',
  'coalesced_mismatch',
  'nested',
  'watchdog',
  'missing_dumps',
  'clocks',
  'restarted',
  'same_name',
  'mixed_versions',
  'busy',
] as const;
export type CaseKind = (typeof KINDS)[number];

const STEPS = 12;

export function makeCase(kind: CaseKind, seed: number, size = 16, moment?: Moment): Case {
  const random = randomOf(seed + 1000 * KINDS.indexOf(kind));
  const TP = size >= 8 ? 4 : 2;
  const world: Group = { name: '0', desc: 'default_pg', ranks: range(size) };
  const tps = range(size / TP).map(
    (t): Group => ({
      name: kind === 'same_name' ? '1' : `${1 + t}`,
      desc: 'tp',
      ranks: range(TP).map((i) => t * TP + i),
    }),
  );
  const dps = range(TP).map(
    (d): Group => ({
      name: kind === 'same_name' ? '2' : `${10_000 + d}`,
      desc: 'dp',
      ranks: range(size / TP).map((t) => t * TP + d),
    }),
  );
  // Pairs inside each tp group, as experts or sequence parallelism make them.
  const eps = range(size / 2).map((e): Group => ({ name: `${20_000 + e}`, desc: 'ep', ranks: [2 * e, 2 * e + 1] }));
  const nested = kind === 'nested';
  // Stages of a pipeline send to each other in pairs of their own, or in the world's group.
  const pps = range(size / 2).map((p): Group => ({ name: `${40_000 + p}`, desc: 'pp', ranks: [p, p + size / 2] }));
  const paired = kind !== 'p2p_in_world';
  const groups = [world, ...tps, ...dps, ...(nested ? eps : []), ...(paired ? pps : [])];
  const programs = range(size).map((rank) =>
    program(
      rank,
      kind,
      world,
      tps[Math.floor(rank / TP)] ?? world,
      dps[rank % TP] ?? world,
      eps[rank >> 1] ?? world,
      (paired ? pps[rank % (size / 2)] : world) ?? world,
    ),
  );
  const rank = random(size);
  const at = { tp: 0, dp: 0, world: 0, send: 0 };
  const step = 4 + random(STEPS - 6);
  const own = programs[rank] ?? [];
  const perStep = own.length / STEPS;
  const find = (wanted: (call: Call) => boolean): number =>
    own.findIndex((call, index) => index >= step * perStep && wanted(call));
  at.tp = find((call) => call.group.desc === 'tp');
  at.dp = find((call) => call.group.desc === 'dp');
  at.world = find((call) => call.group === world && call.peer === undefined);
  at.send = find((call) => call.peer !== undefined);
  const change = (index: number, to: Partial<Call>): void => {
    const call = own[index];
    if (call) own[index] = { ...call, ...to };
  };
  let faults: Faults = {};
  let type: string = kind;
  let culprits = [rank];
  const silent = new Set<number>();
  const alsoTypes: string[] = [];
  switch (kind) {
    case 'busy':
      // Runs, and is dumped on the way, its ranks one after the other.
      moment ??= { tickMs: 50, dumped: (each) => 30 + ((each * 5 + seed) % 9) + ((seed * 17) % 120) };
      type = 'none';
      culprits = [];
      break;
    case 'uneven':
    case 'healthy':
      type = 'none';
      culprits = [];
      break;
    case 'not_joined':
    case 'missing_dumps':
      type = 'not_joined';
      faults = { stopsAt: new Map([[rank, at.world]]) };
      break;
    case 'uneven_stop':
    case 'coalesced':
    case 'nested': {
      type = 'not_joined';
      const wanted = { uneven_stop: 'all_to_all', coalesced: 'coalesced', nested: 'all_reduce' }[kind];
      const stop = find((call) => call.operation === wanted && (kind !== 'nested' || call.group.desc === 'ep'));
      faults = { stopsAt: new Map([[rank, stop]]) };
      break;
    }
    case 'coalesced_mismatch':
      type = 'mismatch';
      change(
        find((call) => call.operation === 'coalesced'),
        { launched: [64, 128, 99].map((elements) => ({ operation: 'all_reduce', elements })) },
      );
      break;
    case 'cascade':
    case 'watchdog':
    case 'clocks':
    case 'restarted':
    case 'same_name':
    case 'mixed_versions':
      type = 'not_joined';
      faults = { stopsAt: new Map([[rank, at.tp]]) };
      break;
    case 'two_faults': {
      type = 'not_joined';
      const other = (rank + size / 2) % size;
      faults = {
        stopsAt: new Map([
          [rank, at.tp],
          [other, at.tp],
        ]),
      };
      culprits = [rank, other].sort((a, b) => a - b);
      break;
    }
    case 'silent_rank':
      faults = { stopsAt: new Map([[rank, at.dp]]) };
      silent.add(rank);
      break;
    case 'mismatch_operation':
      type = 'mismatch';
      change(at.tp, { operation: 'broadcast' });
      break;
    case 'mismatch_size':
      type = 'mismatch';
      change(at.world, { elements: 99 });
      // Of two it cannot be known which is wrong.
      if (size === 2) culprits = [0, 1];
      break;
    case 'mismatch_dtype':
      type = 'mismatch';
      change(at.dp, { dtype: 'Half' });
      break;
    case 'order': {
      type = 'mismatch';
      const [a, b] = [own[at.tp], own[at.tp + 1]];
      if (a && b) own.splice(at.tp, 2, b, a);
      break;
    }
    case 'lock_order': {
      // The world's operation and the next of tp the other way round: both groups wait in a ring.
      const [a, b] = [own[at.world], own[at.world + 1]];
      if (a && b) own.splice(at.world, 2, b, a);
      break;
    }
    case 'late_completer':
      faults = { gpuDiesAt: new Map([[rank, at.tp]]) };
      break;
    case 'fabric':
      type = 'fabric_or_gpu';
      culprits = [];
      faults = { fabricAt: { rank, call: at.dp } };
      break;
    case 'stream_blocked':
      faults = { blockedAt: new Map([[rank, at.world]]) };
      break;
    case 'p2p_in_world':
    case 'p2p_unpaired': {
      type = 'p2p_unpaired';
      // The receiver leaves out the receive and stops; the sender waits.
      const peer = own[at.send]?.peer ?? 0;
      culprits = [peer];
      const theirs = programs[peer] ?? [];
      faults = { stopsAt: new Map([[peer, theirs.findIndex((call, i) => i >= step * perStep && call.peer === rank)]]) };
      alsoTypes.push('not_joined');
      break;
    }
    case 'p2p_skipped': {
      // One end leaves one out and continues: the count is off by one at the end, and it cannot be known on which side.
      type = 'p2p_unpaired';
      culprits = [rank, own[at.send]?.peer ?? 0].sort((a, b) => a - b);
      own.splice(at.send, 1);
      break;
    }
  }
  if (moment) faults = { ...faults, ...(moment.pauses === undefined ? {} : { pauses: moment.pauses }) };
  const timing = kind === 'stream_blocked' || random(2) === 0;
  if (kind === 'missing_dumps') for (const by of [1, 2]) silent.add((rank + by * (1 + random(size / 2 - 1))) % size);
  const entries = run(programs, faults);
  // A run before in the same processes, which ended well; the new one counts from the start again.
  const before = kind === 'restarted' ? run(programs, {}) : [];
  const versions = ['2.4', '2.7', '2.9', '2.10'] as const;
  const version = random(4);
  const options = {
    groups,
    ring: random(3) === 0 ? 40 : 10_000,
    onlyActive: random(4) === 0,
    frames: random(3) !== 0,
    timing,
    ...(kind === 'watchdog' && { watchdog: (['dumped', 'gave_up', 'aborted'] as const)[seed % 3] ?? 'dumped' }),
  };
  // Clocks of hosts of four ranks each are apart by up to 40 ms: more than lies between most operations.
  const offsets = range(Math.ceil(size / 4)).map(() => random(kind === 'clocks' ? 7_200_000 : 40));
  const clocked = entries.map((list, each) => atMoment(list, each, moment, (offsets[each >> 2] ?? 0) + 10_000_000));
  const earlier = before.map((list, each) => atMoment(list, each, undefined, offsets[each >> 2] ?? 0));
  const files = range(size)
    .filter((each) => !silent.has(each))
    .map((each) => ({
      name: `nccl_trace_rank_${each}`,
      bytes: dumpOf(clocked[each] ?? [], {
        ...options,
        rank: each,
        version: versions[kind === 'mixed_versions' ? (version + each) % 4 : version] ?? '2.10',
        ...(earlier[each] && { before: earlier[each] }),
      }),
      ...(moment && {
        modifiedMs: Number(EPOCH_MS) + 10_000_000 + moment.dumped(each) * moment.tickMs + (offsets[each >> 2] ?? 0),
      }),
    }));
  return { kind, files, type, culprits, alsoTypes };
}

function program(rank: number, kind: CaseKind, world: Group, tp: Group, dp: Group, ep: Group, pp: Group): Call[] {
  const calls: Call[] = [];
  const call = (group: Group, operation: string, elements: number, line: number, peer?: number): void => {
    calls.push({ group, operation, elements, dtype: 'BFloat16', line, ...(peer === undefined ? {} : { peer }) });
  };
  const size = world.ranks.length;
  // Pipeline pairs over half of the job: lower half sends, upper half receives.
  const half = size / 2;
  for (let step = 0; step < STEPS; step += 1) {
    call(tp, 'all_reduce', 256, 10);
    call(tp, '_all_gather_base', 128, 11);
    call(pp, rank < half ? 'send' : 'recv', 64, 12, rank < half ? rank + half : rank - half);
    call(tp, 'all_reduce', 512, 13);
    if (kind === 'nested') call(ep, 'all_reduce', 32, 17);
    if (kind.startsWith('uneven')) {
      // Each sends as much as it has, and gets what its neighbour has: in total it is the same.
      const [at, count] = [tp.ranks.indexOf(rank), tp.ranks.length];
      calls.push({ group: tp, operation: 'all_to_all', elements: 16 + at, outputs: 16 + ((at + 1) % count), dtype: 'BFloat16', line: 18 }); // biome-ignore format: one line
    }
    if (kind.startsWith('coalesced')) {
      const launched = [64, 128, 256].map((elements) => ({ operation: 'all_reduce', elements }));
      calls.push({ group: tp, operation: 'coalesced', elements: 0, dtype: 'BFloat16', line: 19, launched });
    }
    call(dp, '_reduce_scatter_base', 1024, 14);
    call(dp, '_all_gather_base', 1024, 15);
    call(world, 'all_reduce', 1, 16);
  }
  return calls;
}

function range(count: number): number[] {
  return Array.from({ length: count }, (_, index) => index);
}
