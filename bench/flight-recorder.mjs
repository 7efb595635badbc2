// Reader against CPython's C unpickler (gc off, in turn, what was read compared), the join of many ranks, and torchfrtrace.
// usage: node bench/flight-recorder.mjs BUILD_DIR [--all | --ranks | --reader | --torch]   (a CMake build folder with the target flight_recorder_bench;
// --all: up to 10,240 ranks and PyTorch's analyser, about 15 minutes, and writes its parts of bench/results-flight-recorder.md;
// --ranks, --reader, --torch: the join of many ranks, the reader or PyTorch's analyser alone, and writes that part)

import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { deepShape, dumpOfRank, irregularShape, newShape, wildShape } from './lib/flight-recorder-job.mjs';
import { joins, plot, torchTable } from './lib/flight-recorder-ranks.mjs';
import { writePart } from './lib/page-part.mjs';

const [all, ranks, readerAlone, torch] = ['--all', '--ranks', '--reader', '--torch'].map((each) =>
  process.argv.includes(each),
);
const program = join(
  process.argv.slice(2).find((each) => !each.startsWith('--')) ?? 'build',
  'native/test/flight_recorder_bench',
);
const work = mkdtempSync(join(tmpdir(), 'fl-bench-'));
process.on('exit', () => rmSync(work, { recursive: true, force: true }));
let lines = [];
const say = (text) => {
  console.log(text);
  lines.push(text);
};
const PAGE = join(import.meta.dirname, 'results-flight-recorder.md');
const machine = `${new Date().toISOString().slice(0, 10)}, ${cpus().length} × ${cpus()[0]?.model.trim()}, shared with other work`;
/** Writes what was said since the last part, between these texts. */
const part = (name, before, after = '') => {
  if (all || ranks || readerAlone || torch) writePart(PAGE, name, `${before}\n\n${lines.join('\n')}\n\n${after}`);
  lines = [];
};

const PYTHON = `
import gc, hashlib, json, pickle, sys, time
gc.disable()
data = open(sys.argv[1], 'rb').read()
best = 1e9
for _ in range(int(sys.argv[2])):
    start = time.thread_time()
    loaded = pickle.loads(data)
    best = min(best, time.thread_time() - start)
def items(value):
    if isinstance(value, dict):
        return ''.join(f'{key},{items(each)}' for key, each in value.items())
    if isinstance(value, list):
        return ''.join(f'({items(each)})' if isinstance(each, list) else items(each) for each in value)
    return f'{value},'
def row(of):
    numbers = [of[key] or 0 for key in ('record_id', 'pg_id', 'collective_seq_id', 'p2p_seq_id', 'op_id', 'time_created_ns', 'time_discovered_completed_ns')]
    texts = [of['state'], int(of['retired']), int(of['is_p2p']), of['profiling_name'], *of['process_group']]
    lists = [items(of[key]) for key in ('input_sizes', 'output_sizes', 'input_dtypes', 'output_dtypes')]
    frames = ''.join(f"name,{each['name']},filename,{each['filename']},line,{each['line']}," for each in of.get('frames', []))
    return '|'.join(map(str, numbers + texts + lists)) + '|' + frames + chr(10)
digest = hashlib.sha256(''.join(map(row, loaded['entries'])).encode()).hexdigest() if len(sys.argv) > 3 else None
print(json.dumps({'ms': best * 1000, 'result': len(loaded['entries']), 'digest': digest}))
`;
const ours = (mode, runs, path) => JSON.parse(execFileSync(program, [mode, `${runs}`, path], { encoding: 'utf8' }));
const python = (runs, path, ...more) =>
  JSON.parse(execFileSync('python3', ['-c', PYTHON, path, `${runs}`, ...more], { encoding: 'utf8' }));
/** Throws where one of both reads what the other may not refuse. */
const pickles = () => {
  const script = join(import.meta.dirname, '../scripts/check-pickle');
  const options = { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] };
  return execFileSync('python3', [script, program, '26000'], options).trim();
};
const median = (values) => values.sort((a, b) => a - b)[values.length >> 1];
const rowsDigest = (mode, path) =>
  createHash('sha256')
    .update(execFileSync(program, [mode, '1', path], { maxBuffer: 1 << 28 }))
    .digest('hex');

function reader(name, frames, shape, count = 20_000) {
  const path = join(work, 'dump');
  writeFileSync(path, dumpOfRank({ ranks: 8, count, rank: 0, frames, shape }));
  const { digest } = python(1, path, 'digest');
  for (const mode of ['rows', 'rows-skip']) {
    if (rowsDigest(mode, path) !== digest) throw new Error(`${name}: what was read differs from CPython's`);
  }
  const times = { read: [], skip: [], walk: [], python: [] };
  for (let round = 0; round < 9; round += 1) {
    for (const mode of ['read', 'skip', 'walk']) times[mode].push(ours(mode, 5, path).ms);
    times.python.push(python(5, path).ms);
  }
  const [read, skip, walk, theirs] = [times.read, times.skip, times.walk, times.python].map(median);
  const size = statSync(path).size / 1e6;
  const ratio = (of) => `×${(theirs / of).toFixed(1)}`;
  say(
    `| ${name} | ${size.toFixed(1)} | ${theirs.toFixed(1)} | ${read.toFixed(2)} | ${ratio(read)} | ${skip.toFixed(2)} | ` +
      `${ratio(skip)} | ${walk.toFixed(2)} | ${Math.round((100 * walk) / read)} % |`,
  );
}

if (!ranks && !torch) {
  say(
    '| 20,000 entries, where nothing else is said | MB | CPython ms | ours ms | | frames skipped ms | | bare walk ms | of ours |',
  );
  say('|---|---|---|---|---|---|---|---|---|');
  reader('with frames, of a training loop', true);
  reader('without frames', false);
  reader('with frames, each of a new size', true, newShape);
  reader('64 sites of 25 frames, in turn', true, deepShape);
  reader('64 sites of 25 frames, in no order', true, irregularShape);
  reader('64 sites of 25 frames, in no order, each of a new size', true, wildShape);
  reader('a ring of 2,000 of a training loop', true, undefined, 2000);
  reader('a ring of 2,000, 64 sites of 25 frames in no order', true, irregularShape, 2000);
  const version = execFileSync('python3', ['-V'], { encoding: 'utf8' }).trim().slice(7);
  part(
    'reader',
    `\`node bench/flight-recorder.mjs BUILD_DIR --reader\`, ${machine};
therefore CPU time of the thread, user and system, best of five, median of nine rounds in turn. CPython ${version} with gc off.
Every field of every entry that we keep was compared with what CPython read, frames included. The bare walk steps over
opcodes and counts them. Entries that differ from an earlier one in numbers alone are compared eight bytes at a time
and not stepped over, which is how reading can take less than the walk. A site is a place in the code that calls; in no order,\nno step is like the one before.`,
  );
}
if (readerAlone) process.exit();
if (torch) {
  torchPart();
  process.exit();
}
const large = all || ranks;
const measured = joins({
  ours,
  work,
  say,
  counts: large ? [128, 256, 512, 1024, 2048, 4096, 10_240] : [128, 512, 1024],
});
if (large) writeFileSync(new URL('./results-flight-recorder.svg', import.meta.url), plot(measured));
part(
  'ranks',
  `\`node bench/flight-recorder.mjs BUILD_DIR --ranks\`, ${machine}: CPU time of the thread, best of three, and peak of the process. All ranks run one
program, so what they do alike is kept once.`,
  '![CPU time over ranks, both logarithmic: a straight line of slope one](results-flight-recorder.svg)',
);
if (all) {
  torchPart();
  say(pickles());
  part(
    'pickles',
    `\`scripts/check-pickle\` on random and damaged pickles of protocols 0 to 5; by both the number of entries compared where the shape
is plain, values not; only ours is invalid text and frame lengths:`,
  );
}

function torchPart() {
  const reported = torchTable({ ours, work, say });
  part('torchfrtrace', `The same dumps by PyTorch's own analyser, ${machine}.`, reported);
}
