// Reader against CPython's C unpickler (gc off, interleaved, entries compared), and the join of many ranks.
// usage: node bench/flight-recorder.mjs BUILD_DIR   (a CMake build folder with the target flight_recorder_bench)

import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { dumpOf } from '../test/native-fr/generator/dump.ts';

const program = join(process.argv[2] ?? 'build', 'native', 'test', 'flight_recorder_bench');
const work = mkdtempSync(join(tmpdir(), 'fl-bench-'));
process.on('exit', () => rmSync(work, { recursive: true, force: true }));

const PYTHON = `
import gc, json, pickle, sys, time
gc.disable()
data = open(sys.argv[1], 'rb').read()
best = 1e9
for _ in range(int(sys.argv[2])):
    start = time.perf_counter()
    loaded = pickle.loads(data)
    best = min(best, time.perf_counter() - start)
    entries = len(loaded['entries'])
    del loaded
print(json.dumps({'ms': best * 1000, 'result': entries}))
`;
const ours = (mode, runs, path) => JSON.parse(execFileSync(program, [mode, `${runs}`, path], { encoding: 'utf8' }));
const python = (runs, path) =>
  JSON.parse(execFileSync('python3', ['-c', PYTHON, path, `${runs}`], { encoding: 'utf8' }));
const median = (values) => values.sort((a, b) => a - b)[values.length >> 1];

function job(ranks, count) {
  const world = { name: '0', desc: 'default_pg', ranks: Array.from({ length: ranks }, (_, rank) => rank) };
  const tp = (rank) => ({
    name: `${1 + (rank >> 3)}`,
    desc: 'tp',
    ranks: world.ranks.slice(rank & ~7, (rank & ~7) + 8),
  });
  return { world, tp, count };
}

function dump({ world, tp, count }, rank, frames) {
  const group = tp(rank);
  const entries = [];
  let inWorld = 0;
  let inTp = 0;
  for (let index = 0; index < count; index += 1) {
    const own = index % 8 === 7 ? world : group;
    const sequence = own === world ? ++inWorld : ++inTp;
    const state = index === count - 1 ? 'scheduled' : 'completed';
    const call = {
      group: own,
      operation: 'all_reduce',
      elements: 256 << (index % 3),
      dtype: 'BFloat16',
      line: 10 + (index % 7),
    };
    entries.push({ call, sequence, createdMs: index * 10, state });
  }
  if (rank === 5) entries.pop();
  const options = {
    rank,
    groups: [world, group],
    version: '2.10',
    ring: count,
    onlyActive: false,
    frames,
    timing: false,
  };
  return dumpOf(entries, options);
}

for (const frames of [true, false]) {
  const path = join(work, `reader-${frames}`);
  writeFileSync(path, dump(job(8, 20_000), 0, frames));
  const times = { ours: [], skip: [], python: [], walk: [] };
  for (let round = 0; round < 7; round += 1) {
    const a = ours('read', 3, path);
    const b = python(3, path);
    if (a.result !== b.result) throw new Error(`entries differ: ${a.result} and ${b.result}`);
    times.ours.push(a.ms);
    times.python.push(b.ms);
    times.skip.push(ours('skip', 3, path).ms);
    times.walk.push(ours('walk', 3, path).ms);
  }
  const [mine, skip, theirs, walk] = [times.ours, times.skip, times.python, times.walk].map(median);
  const size = statSync(path).size / 1e6;
  console.log(
    `20,000 entries ${frames ? 'with' : 'without'} frames, ${size.toFixed(1)} MB: ours ${mine.toFixed(2)} ms ` +
      `(${((size / mine) * 1000).toFixed(0)} MB/s), CPython ${theirs.toFixed(1)} ms, ×${(theirs / mine).toFixed(1)}, ` +
      `frames on demand ${skip.toFixed(2)} ms, ×${(theirs / skip).toFixed(1)}; ` +
      `bare walk ${walk.toFixed(2)} ms, ${((100 * walk) / mine).toFixed(0)} % of ours`,
  );
}

for (const ranks of [128, 512, 1024]) {
  const folder = mkdtempSync(join(work, 'job-'));
  for (let rank = 0; rank < ranks; rank += 1)
    writeFileSync(join(folder, `rank_${rank}`), dump(job(ranks, 2000), rank, true));
  const { ms, peak_mib } = ours('join', 1, folder);
  console.log(`${ranks} ranks × 2,000 entries: verdict in ${(ms / 1000).toFixed(2)} s, peak ${peak_mib} MiB`);
  rmSync(folder, { recursive: true });
}
