// How the verdict's time and memory grow with the ranks of a job, and PyTorch's own analyser on the same dumps.

import { execFileSync } from 'node:child_process';
import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { installationRoot } from '../../src/native.ts';
import { irregularShape, writeJob } from './flight-recorder-job.mjs';

const ENTRIES = 2000;
const TORCH = process.env.FAULTLINE_TORCH_PYTHON ?? join(installationRoot(), '.tools/torch/bin/python');

/** Of each number of ranks [ranks, ms, peak MiB]; best of three runs in processes of their own. */
export function joins({ ours, work, say, counts }) {
  say(`| ranks × ${ENTRIES.toLocaleString('en')} entries | MB | verdict s | µs a rank | peak MiB | KiB a rank |`);
  say('|---|---|---|---|---|---|');
  return counts.map((ranks) => {
    const folder = join(work, `job-${ranks}`);
    const mb = writeJob(folder, ranks, ENTRIES);
    const runs = [1, 2, 3].map(() => ours('join', 1, folder));
    const ms = Math.min(...runs.map((run) => run.ms));
    const mib = Math.max(...runs.map((run) => run.peak_mib));
    const [each, kib] = [(ms * 1000) / ranks, (mib * 1024) / ranks];
    say(
      `| ${ranks.toLocaleString('en')} | ${mb.toFixed(0)} | ${(ms / 1000).toFixed(2)} | ${each.toFixed(0)} | ${mib.toFixed(0)} | ${kib.toFixed(0)} |`,
    );
    rmSync(folder, { recursive: true });
    return [ranks, ms, mib];
  });
}

// What `torchfrtrace FOLDER` does until its groups are built, by its own functions, and then the rest if asked to.
const LOAD = `
import json, resource, sys, time
from torch.distributed.flight_recorder.components import builder, loader
from torch.distributed.flight_recorder.components.config_manager import JobConfig
args = JobConfig().parse_args([sys.argv[1], '-p', 'nccl_trace_rank_'])
start = time.thread_time()
details, version = loader.read_dir(args)
loaded = time.thread_time()
entries = {dump['rank']: dump['entries'] for dump in details.values()}
config = {dump['rank']: dump['pg_config'] for dump in details.values()}
builder.check_version({dump['rank']: dump['version'] for dump in details.values()}, version)
entries = builder.align_trace_from_beginning(entries)
builder.build_groups_memberships(config)
built = time.thread_time()
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
print(json.dumps({'load': loaded - start, 'groups': built - loaded, 'mib': peak / 1024}))
`;

/** Deep frames are few ranks: torchfrtrace keeps each frame of each entry as a dictionary. */
const TORCH_JOBS = [
  { ranks: 256, shape: irregularShape, note: ', 25 frames deep' },
  { ranks: 128 },
  { ranks: 512 },
  { ranks: 1024 },
];

/** One table of both on the same dumps in turn, in fresh processes. */
export function torchTable({ ours, work, say }) {
  if (!existsSync(TORCH)) return 'torchfrtrace was not there to be measured.';
  say('');
  say('| ranks × 2,000 entries | torchfrtrace: load s | groups s | peak MiB | ours: verdict s | peak MiB | |');
  say('|---|---|---|---|---|---|---|');
  for (const { ranks, shape, note = '' } of TORCH_JOBS) {
    const folder = join(work, `torch-${ranks}`);
    writeJob(folder, ranks, ENTRIES, shape);
    const rounds = (ranks > 512 ? [1] : [1, 2, 3]).map(() => {
      const theirs = JSON.parse(
        execFileSync(TORCH, ['-W', 'ignore', '-c', LOAD, folder], {
          encoding: 'utf8',
          stdio: ['ignore', 'pipe', 'ignore'],
        }),
      );
      return { theirs, mine: ours('join', 1, folder) };
    });
    const best = (of) => Math.min(...rounds.map(of));
    const load = best(({ theirs }) => theirs.load);
    const groups = best(({ theirs }) => theirs.groups);
    const verdict = best(({ mine }) => mine.ms) / 1000;
    const mib = (of) => Math.max(...rounds.map(of)).toFixed(0);
    say(
      `| ${ranks.toLocaleString('en')}${note} | ${load.toFixed(2)} | ${groups.toFixed(2)} | ${mib(({ theirs }) => theirs.mib)} | ` +
        `${verdict.toFixed(2)} | ${mib(({ mine }) => mine.peak_mib)} | ×${((load + groups) / verdict).toFixed(1)} |`,
    );
    rmSync(folder, { recursive: true });
  }
  const version = execFileSync(TORCH, ['-W', 'ignore', '-c', 'import torch; print(torch.__version__)'], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  return (
    `torchfrtrace is that of PyTorch ${version.trim()}, its load and group building by its own functions (matching of operations and its\n` +
    'verdict not counted), ours all the way to the verdict; the same dumps in turn, fresh processes, the best of three, of 1,024 ranks one run.'
  );
}

/** Both axes logarithmic; the line has slope one through the first point. */
export function plot(points) {
  const [width, height, left, bottom] = [480, 300, 56, 36];
  const x = (ranks) => left + ((Math.log10(ranks) - 2) / 2.2) * (width - left - 12);
  const y = (ms) => height - bottom - ((Math.log10(ms) - 1) / 3) * (height - bottom - 12);
  const [[ranks0, ms0]] = points;
  const text = (at, to, what, anchor) =>
    `<text x="${at.toFixed(1)}" y="${to.toFixed(1)}" text-anchor="${anchor}">${what}</text>`;
  const parts = [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" font-family="sans-serif" font-size="11" fill="#333">`,
    `<title>CPU time of the flight-recorder join over ranks</title>`,
    `<rect width="${width}" height="${height}" fill="#fff"/>`,
    ...[10, 100, 1000, 10_000].flatMap((ms) => [
      `<path d="M${left} ${y(ms).toFixed(1)}H${width - 12}" stroke="#ddd"/>`,
      text(left - 6, y(ms) + 4, `${ms / 1000} s`, 'end'),
    ]),
    ...points.map(([ranks]) => text(x(ranks), height - bottom + 16, `${ranks}`, 'middle')),
    text((left + width) / 2, height - 4, 'ranks × 2,000 entries', 'middle'),
    `<path d="M${x(ranks0).toFixed(1)} ${y(ms0).toFixed(1)}L${x(10_240).toFixed(1)} ${y((ms0 * 10_240) / ranks0).toFixed(1)}" stroke="#999" stroke-dasharray="4 3"/>`,
    ...points.map(
      ([ranks, ms]) => `<circle cx="${x(ranks).toFixed(1)}" cy="${y(ms).toFixed(1)}" r="4" fill="#1f6feb"/>`,
    ),
    '</svg>',
  ];
  return `${parts.join('\n')}\n`;
}
