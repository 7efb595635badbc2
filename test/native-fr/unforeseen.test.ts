// Kinds of jobs that were met after the generator was made: each is a small job whose truth is known.

import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import type { FlightRecorderDocument } from '../../src/model/documents/flight-recorder.ts';
import { analyseFlightRecorder } from '../../src/sources/flight-recorder/dumps/analyse.ts';

const root = mkdtempSync(join(tmpdir(), 'fl-fr-kinds-'));
after(() => rmSync(root, { recursive: true }));

const EPOCH_NS = 1_795_818_000_000_000_000n;

interface Made {
  readonly group?: string;
  readonly desc?: string;
  readonly name: string;
  readonly seq: number;
  readonly p2p?: number;
  readonly op?: number;
  readonly done?: boolean;
  readonly atMs?: number;
  /** When the watchdog saw the end, after `atMs`. */
  readonly tookMs?: number;
  readonly in?: readonly (readonly number[])[];
  readonly out?: readonly (readonly number[])[];
  readonly more?: Readonly<Record<string, unknown>>;
}

function entry(made: Made, record: number): Record<string, unknown> {
  const { group = '0', desc = 'default_pg', name, seq, p2p, done = true, atMs = record * 10 } = made;
  const created = EPOCH_NS + BigInt(Math.round(atMs * 1000)) * 1000n;
  const sizes = made.in ?? [[64]];
  return {
    record_id: record,
    pg_id: Number(group),
    process_group: [group, desc],
    collective_seq_id: seq,
    p2p_seq_id: p2p ?? 0,
    op_id: made.op ?? seq,
    profiling_name: name.includes(':') ? name : `nccl:${name}`,
    time_created_ns: `${created}`,
    input_sizes: sizes,
    output_sizes: made.out ?? sizes,
    input_dtypes: ['Float'],
    output_dtypes: ['Float'],
    state: done && !name.startsWith('gloo:') ? 'completed' : 'scheduled',
    time_discovered_completed_ns:
      made.tookMs === undefined ? 0 : `${created + BigInt(Math.round(made.tookMs * 1000)) * 1000n}`,
    retired: done,
    timeout_ms: 600_000,
    is_p2p: p2p !== undefined,
    ...made.more,
  };
}

/** `groups`: their members by name; none where there is no configuration. */
function dump(
  entries: readonly Made[],
  groups: Readonly<Record<string, readonly [string, readonly number[]]>> = {},
  keep: (each: Record<string, unknown>) => boolean = () => true,
): string {
  const config = Object.entries(groups).map(([name, [desc, ranks]]) => [
    name,
    { name, desc, ranks: `[${ranks.join(', ')}]` },
  ]);
  return JSON.stringify({
    version: '2.10',
    pg_config: Object.fromEntries(config),
    entries: entries.map(entry).filter(keep),
  });
}

async function analysed(files: readonly string[], names = (rank: number) => `rank_${rank}`) {
  const folder = mkdtempSync(join(root, 'job-'));
  for (const [rank, text] of files.entries()) if (text !== '') writeFileSync(join(folder, names(rank)), text);
  return analyseFlightRecorder([folder]);
}
const ranksOf = ({ culprits }: FlightRecorderDocument): number[] => culprits.map(({ rank }) => rank);
const reported = (document: FlightRecorderDocument) => [document.verdicts[0]?.type, ranksOf(document)];
const range = (count: number): number[] => Array.from({ length: count }, (_, index) => index);
const world = (size: number) => ({ '0': ['default_pg', range(size)] }) as const;

const RING = 6;
/** A step of a ring: each sends to the next and receives from the one before, in one launch whose parts are never marked. */
function ringStep(rank: number, step: number, done: boolean): Made[] {
  const [to, from] = [(rank + 1) % RING, (rank + RING - 1) % RING];
  const launched = { seq: 0, p2p: step, op: step * 3 };
  return [
    { ...launched, name: `send ${rank}->${to}`, done: false, atMs: step * 10 },
    { ...launched, name: `recv ${rank}<-${from}`, done: false, atMs: step * 10 },
    { ...launched, name: 'coalesced', in: [], done, atMs: step * 10 },
  ];
}
/** Rank 3 stops before step 8; its neighbours enter it and wait, the others end it. */
const ring = (rank: number): Made[] =>
  range(8)
    .filter((index) => rank !== 3 || index < 7)
    .flatMap((index) => ringStep(rank, index + 1, index < 7 || (rank !== 2 && rank !== 4)));

test('of launches of sends and receives the one that is not there is named, not those whose parts ended elsewhere', async () => {
  const whole = range(RING).map((rank) => dump(ring(rank), world(RING)));
  assert.deepEqual(reported(await analysed(whole)), ['p2p_unpaired', [3]]);
  // A ring that went round, of another length on every rank: nothing counts from the start any more.
  const cut = range(RING).map((rank) => dump(ring(rank), world(RING), ({ record_id }) => Number(record_id) > 6 + rank));
  assert.deepEqual(reported(await analysed(cut)), ['p2p_unpaired', [3]]);
});

test('a dump without what has completed still has the parts of launches that ended: no rank waits in them', async () => {
  const active = (entries: Made[]) => dump(entries, world(RING), ({ state }) => state !== 'completed');
  const healthy = range(RING).map((rank) => active(range(7).flatMap((index) => ringStep(rank, index + 1, true))));
  assert.deepEqual(reported(await analysed(healthy)), ['none', []]);
  assert.deepEqual(reported(await analysed(range(RING).map((rank) => active(ring(rank))))), ['p2p_unpaired', [3]]);
});

test('a receive whose send ended names the rank that does not end it, not the sender', async () => {
  const files = [0, 1].map((rank) =>
    dump(
      range(5).map((index) => ({
        name: rank === 0 ? 'send 0->1' : 'recv 1<-0',
        seq: 0,
        p2p: index + 1,
        done: rank === 0 || index < 4,
      })),
      world(2),
    ),
  );
  assert.deepEqual(reported(await analysed(files)), ['late_completer', [1]]);
});

test('of two ranks without a dump the one that alone explains a stall explains the others too', async () => {
  const groups = (rank: number) =>
    ({ ...world(4), [`${1 + (rank >> 1)}`]: ['tp', rank < 2 ? [0, 1] : [2, 3]] }) as const;
  const pair = (rank: number, seq: number, done: boolean): Made => ({ group: `${1 + (rank >> 1)}`, desc: 'tp', name: 'all_reduce', seq, done }); // biome-ignore format: one line
  // Rank 1 died before the second operation of its pair, rank 3 only left no dump. Rank 0 waits in the pair, and
  // is in the world's operation behind that.
  const files = [
    dump([pair(0, 1, true), pair(0, 2, false), { name: 'all_reduce', seq: 1, done: false }], groups(0)),
    '',
    dump([pair(2, 1, true), pair(2, 2, true), { name: 'all_reduce', seq: 1, done: false }], groups(2)),
    '',
  ];
  assert.deepEqual(reported(await analysed(files)), ['silent_rank', [1]]);
});

test('it is reported where the rank left the program, not where others began to wait first', async () => {
  const groups = (rank: number) =>
    ({ ...world(4), [`${1 + (rank >> 1)}`]: ['tp', rank < 2 ? [0, 1] : [2, 3]], [`${3 + (rank & 1)}`]: ['dp', [rank & 1, 2 + (rank & 1)]] }) as const; // biome-ignore format: one line
  const files = range(4).map((rank) => {
    const tp = (seq: number, done: boolean): Made => ({ group: `${1 + (rank >> 1)}`, desc: 'tp', name: 'all_reduce', seq, done, atMs: seq * 50 + rank }); // biome-ignore format: one line
    const dp = (seq: number, done: boolean): Made => ({ group: `${3 + (rank & 1)}`, desc: 'dp', name: 'all_reduce', seq, done, atMs: seq * 50 + 5 + rank }); // biome-ignore format: one line
    const first = [tp(1, true), dp(1, true)];
    // Rank 3 stops before its pair's second operation. Rank 1 waits for it in dp, before rank 2 came to the pair.
    if (rank === 3) return dump(first, groups(rank));
    const waits = { ...tp(2, rank !== 2), ...(rank === 2 ? { atMs: 400 } : {}) };
    return dump([...first, waits, { ...dp(2, rank === 0), ...(rank === 2 ? { atMs: 410, done: false } : {}) }], groups(rank)); // biome-ignore format: one line
  });
  const { verdicts } = await analysed(files);
  assert.deepEqual(
    verdicts.map(({ type, culprits, group }) => [type, culprits, group?.ranks]),
    [['not_joined', [3], [2, 3]]],
  );
});

test('format 1.2: one number for all operations, members under the local number', async () => {
  const files = range(4).map((rank) => {
    const entries = range(rank === 2 ? 4 : 5).map((index) => {
      const { collective_seq_id, p2p_seq_id, process_group, op_id, ...rest } = entry({ name: 'all_reduce', seq: index + 1, done: index < 4 }, index); // biome-ignore format: one line
      return { ...rest, seq_id: collective_seq_id };
    });
    return JSON.stringify({ version: '1.2', pg_config: { '0': range(4) }, entries });
  });
  const document = await analysed(files);
  assert.deepEqual([...reported(document), document.job.world_size], ['not_joined', [2], 4]);
  // The members are known: one that left no dump is missed.
  assert.deepEqual(reported(await analysed(files.map((text, rank) => (rank === 2 ? '' : text)))), ['silent_rank', [2]]);
});

test('a type that is a text where the recorder writes a list of them is compared all the same', async () => {
  const files = range(4).map(
    (rank) =>
    dump([1, 2, 3].map((seq) => ({ name: 'all_reduce', seq, done: seq < 3, more: { input_dtypes: rank === 2 && seq === 3 ? 'Half' : 'Float' } })), world(4)), // biome-ignore format: one line
  );
  assert.deepEqual(reported(await analysed(files)), ['mismatch', [2]]);
});

test('parts of different sizes that make one whole are no mismatch', async () => {
  const parts = range(4).map((rank) => [10 + rank]);
  const files = range(4).map((rank) =>
    dump(
      [
        { name: 'all_gather', seq: 1, in: [[10 + rank]], out: parts },
        { name: 'reduce_scatter', seq: 2, in: parts, out: [[10 + rank]] },
        { name: 'gather', seq: 3, in: [[10 + rank]], out: rank === 0 ? parts : [] },
        { name: 'scatter', seq: 4, in: rank === 0 ? parts : [], out: [[10 + rank]] },
      ],
      world(4),
    ),
  );
  assert.deepEqual(reported(await analysed(files)), ['none', []]);
  const short = files.map((text, rank) => (rank === 3 ? text.replaceAll('[[13]]', '[[12]]') : text));
  assert.equal((await analysed(short)).verdicts[0]?.type, 'mismatch');
});

test('a launch of fewer operations than the others is a mismatch of count', async () => {
  const files = range(4).map((rank) => {
    const parts = range(rank === 1 ? 2 : 3).map(() => ({ name: 'all_reduce', seq: 2, done: false }));
    return dump(
      [{ name: 'all_reduce', seq: 1 }, ...parts, { name: 'coalesced', seq: 2, in: [], done: false }],
      world(4),
    );
  });
  const document = await analysed(files);
  assert.deepEqual(reported(document), ['mismatch', [1]]);
  assert.deepEqual(
    document.mismatches.map(({ what, ranks, launched }) => [what, ranks, launched?.expected, launched?.found]),
    [['count', [1], 3, 2]],
  );
});

// Gloo: pairs 0-1 and 2-3 of two stages, which send to each other (0-2, 1-3) unseen: only numbers of operations are missing.
test('Gloo: a rank in a receive that is not recorded is not named next to the one that it waits for', async () => {
  const files = range(4).map((rank) => {
    const tp = (seq: number, done: boolean): Made => ({ group: `${1 + (rank >> 1)}`, desc: 'tp', name: 'gloo:all_reduce', seq, done }); // biome-ignore format: one line
    const pp = (seq: number): Made => ({ group: `${3 + (rank & 1)}`, desc: 'pp', name: 'gloo:all_reduce', seq, op: seq * 3 }); // biome-ignore format: one line
    const all = (seq: number, done: boolean): Made => ({ name: 'gloo:all_reduce', seq, done });
    const before = [1, 2].flatMap((seq) => [tp(seq, true), pp(seq), all(seq, true)]);
    // Rank 1 stops before the third operation of its pair; stage 1 waits in a receive from ranks 0 and 1.
    return dump(rank === 0 ? [...before, tp(3, false)] : before);
  });
  assert.deepEqual(reported(await analysed(files)), ['not_joined', [1]]);
  // One more pair, whose pipeline is its own, waits for stage 1 in the world: that is named for nothing either.
  const more = [4, 5].map((rank) => {
    const tp = (seq: number, done: boolean): Made => ({ group: '9', desc: 'tp', name: 'gloo:all_reduce', seq, done });
    const all = (seq: number, done: boolean): Made => ({ name: 'gloo:all_reduce', seq, done });
    return dump([tp(1, true), all(1, true), tp(2, true), all(2, true), tp(3, true), all(3, rank < 0)]);
  });
  const document = await analysed([...files, ...more]);
  assert.ok(!ranksOf(document).includes(3), `${ranksOf(document)}`);
  assert.ok(ranksOf(document).includes(1), `${ranksOf(document)}`);
});

/** Two hosts of two ranks; the watchdog sees an end up to a tenth of a second late. */
function steps(late: number | null, aheadMs: readonly number[]): string[] {
  let state = 7;
  const random = () => {
    state = (state * 48_271) % 2_147_483_647;
    return state / 2_147_483_647;
  };
  const entries = range(4).map((): Made[] => []);
  for (let step = 0; step < 60; step += 1) {
    const atMs = step * 200;
    const arrives = range(4).map((rank) => atMs + (rank === late && step % 10 !== 0 ? 40 : 0) + random());
    const ended = Math.max(...arrives) + 1;
    for (const [rank, own] of entries.entries()) {
      const clock = aheadMs[rank >> 1] ?? 0;
      for (const [place, group] of ['1', '0'].entries()) {
        const created = (arrives[rank] ?? 0) + place * 0.05;
        const desc = group === '0' ? 'default_pg' : 'dp';
        own.push({ group, desc, name: 'all_reduce', seq: step + 1, atMs: created + clock, tookMs: ended - created + random() * 100 }); // biome-ignore format: one line
      }
    }
  }
  return entries.map((own) => dump(own, { ...world(4), '1': ['dp', range(4)] }));
}

test('clocks a little apart make no straggler and hide none', async () => {
  for (const ahead of [
    [0, 0],
    [0, 60],
    [-120, 900],
  ]) {
    assert.deepEqual((await analysed(steps(null, ahead))).stragglers, []);
    assert.deepEqual(
      (await analysed(steps(2, ahead))).stragglers.map(({ rank }) => rank),
      [2],
    );
  }
});

test('an entry of a group that no one else knows makes up no rank', async () => {
  const groups = (rank: number) =>
    ({ ...world(4), [`${1 + (rank >> 1)}`]: ['tp', rank < 2 ? [0, 1] : [2, 3]] }) as const;
  const files = range(4).map((rank) => {
    const pair: Made = {
      group: `${1 + (rank >> 1)}`,
      desc: 'tp',
      name: '_allgather_base',
      seq: 1,
      in: [[8]],
      out: [[16]],
    };
    const odd: Made = { ...pair, group: rank === 0 ? '1' : '2', desc: rank === 0 ? 'default_pt' : 'tp' };
    return dump(
      [pair, rank === 0 ? odd : { ...pair, seq: 2 }, { name: 'all_reduce', seq: 1, done: false }],
      groups(rank),
    );
  });
  const { job } = await analysed(files);
  assert.deepEqual([job.world_size, job.missing_ranks], [4, []]);
});

test('entries that lost their number or their name say nothing about the rank', async () => {
  for (const key of ['collective_seq_id', 'profiling_name']) {
    const files = range(4).map((rank) => dump([1, 2, 3].map((seq) => ({ name: 'all_reduce', seq, done: seq < 3 })).slice(0, rank === 3 ? 2 : 3), world(4))); // biome-ignore format: one line
    const damaged = files.map((text, rank) => (rank === 0 ? text.replaceAll(`"${key}"`, `"x${key.slice(1)}"`).replaceAll('"p2p_seq_id"', '"q"') : text)); // biome-ignore format: one line
    const document = await analysed(damaged);
    assert.deepEqual(reported(document), ['not_joined', [3]], key);
    assert.equal(document.job.dumps[0]?.truncated, true);
  }
});

test('"rank3of12" is rank 3', async () => {
  const files = range(3).map((rank) => dump([1, 2].map((seq) => ({ name: 'all_reduce', seq, done: seq < 2 })).slice(0, rank === 1 ? 1 : 2), world(3))); // biome-ignore format: one line
  for (const name of [(rank: number) => `fr_rank${rank}of3.bin`, (rank: number) => `rank-${rank}-of-3`]) {
    assert.deepEqual(reported(await analysed(files, name)), ['not_joined', [1]]);
  }
});

test('dumps without entries: the counters name who is one behind, and not firmly; all equal names none', async () => {
  const counted = (rank: number, behind: number) =>
    JSON.stringify({
      version: '2.9',
      nccl_version: '2.27.3',
      pg_config: { '0': { name: '0', desc: 'default_pg', ranks: '[0, 1, 2, 3]' } },
      pg_status: { '0': { last_enqueued_collective: rank === behind ? 8 : 9, last_started_collective: -1, last_completed_collective: 8 } }, // biome-ignore format: one line
    });
  const document = await analysed(range(4).map((rank) => counted(rank, 2)));
  assert.deepEqual(reported(document), ['not_joined', [2]]);
  assert.ok((document.culprits[0]?.confidence ?? 1) <= 0.4);
  assert.deepEqual(reported(await analysed(range(4).map((rank) => counted(rank, -1)))), ['none', []]);
});

test('of what a rank never ended though its peers did, the first that it entered is reported', async () => {
  const groups = { '1': ['tp', [0, 1]], '2': ['ep', [0, 1]] } as const;
  const files = [0, 1].map((rank) =>
    dump(
      [
        { group: '1', desc: 'tp', name: 'all_reduce', seq: 1 },
        { group: '2', desc: 'ep', name: 'all_reduce', seq: 1 },
        { group: '2', desc: 'ep', name: 'broadcast', seq: 2, done: rank === 0 },
        { group: '1', desc: 'tp', name: 'broadcast', seq: 2, done: rank === 0 },
      ],
      groups,
    ),
  );
  const { verdicts } = await analysed(files);
  assert.deepEqual(
    verdicts.map(({ type, culprits, group, sequence }) => [type, culprits, group?.desc, sequence]),
    [['late_completer', [1], 'ep', 2]],
  );
});
