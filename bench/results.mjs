// Runs every benchmark in turn, each in a fresh process, and writes bench/results.md again.
// Run: node bench/results.mjs [NAME...]   (all, about 40 minutes; needs `npm run build`; FAULTLINE_BEFORE=FOLDER: also against
// the build there; FAULTLINE_RELEASE=FOLDER: also the release there, installed)

import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { cpus, totalmem } from 'node:os';
import { join } from 'node:path';

const PAGE = join(import.meta.dirname, 'results.md');
const ROOT = join(import.meta.dirname, '..');

const BENCHES = [
  ['daemon', 'The whole daemon on a simulated eight-GPU host', ['bench/daemon.mjs', '10']],
  ['daemon-all', 'The same with every source, Prometheus and OTLP, for an hour', ['bench/daemon.mjs', '60', '--all']],
  ['edge', 'From an edge to its event at 10 Hz', ['bench/edge.mjs']],
  ['native', 'Addon call, hand-over, detectors', ['native/bench/native.mjs']],
  ['correlation', 'Events through the correlator on one core', ['bench/correlation.mjs']],
  ['correlation-growth', "Growth of the correlator's work", ['bench/correlation-growth.mjs']],
  ['kernel-storm', 'A storm in the kernel log', ['bench/kernel-storm.mjs']],
  ['replay', 'Replay of a recording, apart from the start of the process', ['bench/replay.mjs']],
  ['incident-log', 'Append to durable', ['bench/incident-log.mjs']],
  ['otlp', 'OTLP: 5,000 points to bytes, ours against the SDK', ['bench/otlp.mjs']],
  ['start', 'From the start of the process to its socket', ['bench/start.mjs']],
  ['flight-recorder', 'FlightRecorder: reader against CPython, join of many ranks', ['bench/flight-recorder.mjs']],
  ['stall', 'One of eight GPUs hangs for ten minutes', ['bench/stall.mjs']],
  ['kill', 'Killed two hundred times', ['bench/kill.mjs', '200']],
  ['disk-full', 'A disk that fills up', ['bench/disk-full.mjs']],
  ['clock-jumps', 'A wall clock that jumps', ['bench/clock-jumps.mjs']],
  ['hostile-otlp', 'Hostile collectors', ['bench/hostile-otlp.mjs']],
  ['hostile-bmc', 'Sixteen hostile BMCs', ['bench/hostile-bmc.mjs', '3', '16']],
  ['hostile-snmp', 'Forged SNMP answers', ['bench/hostile-snmp.mjs', '20']],
  ['slow-connections', 'Slow connections', ['bench/slow-connections.mjs', '10', '400']],
  ['large-logs', 'Sparse, deleted and endless logs', ['bench/large-logs.mjs', '20']],
  ['crowded-dumps', 'A dump folder full of made-up names', ['bench/crowded-dumps.mjs', '300000']],
  ['kernel-latency', 'From a kernel line to its incident on disk', ['bench/kernel-latency.mjs']],
  ['scan-large', '`scan` of a large log and of many files', ['bench/scan-large.mjs']],
  ['scan', 'The words of all rules over mixed logs', ['bench/scan.mjs', '128', '5']],
  ['host-peers', 'CPU sources against their peers', ['bench/host-peers.mjs']],
  ['incidents-command', 'Listing a log of 100 MB', ['bench/incidents-command.mjs']],
];
/** A built checkout of an earlier commit. */
const { FAULTLINE_BEFORE, FAULTLINE_RELEASE } = process.env;
if (FAULTLINE_BEFORE !== undefined)
  BENCHES.push(['before-after', 'Against an earlier build', ['bench/before-after.mjs', FAULTLINE_BEFORE]]);
/** What scripts/release made, with its image; as root. */
if (FAULTLINE_RELEASE !== undefined)
  BENCHES.push([
    'install',
    'From nothing to the first sample',
    ['bench/install.mjs', FAULTLINE_RELEASE, '.tools/debian-12.tar'],
  ]);

const only = process.argv.slice(2);
const before = sections();
const parts = BENCHES.map(([name, title, command]) => {
  const line = `node ${command.join(' ')}`;
  if (only.length > 0 && !only.includes(name)) return before.get(name) ?? '';
  console.error(`${name}: ${line}`);
  const run = spawnSync(process.execPath, command, {
    cwd: ROOT,
    encoding: 'utf8',
    timeout: 3_600_000,
    maxBuffer: 1 << 26,
  });
  const said =
    run.status === 0 ? run.stdout : `${run.stdout}\nended with status ${run.status}: ${run.stderr.slice(-2000)}`;
  return `## ${title} <!-- ${name} -->\n\n\`${line}\` · ${new Date().toISOString().slice(0, 10)}\n\n\`\`\`\n${said.trimEnd()}\n\`\`\`\n`;
});

writeFileSync(
  PAGE,
  `# Measured

Written by \`node bench/results.mjs\`, which runs each benchmark in a fresh process. Machine of this page: ${cpus().length} ×
${cpus()[0]?.model.trim()}, ${Math.round(totalmem() / 2 ** 30)} GiB, Linux, Node ${process.version}; shared and noisy, so trust medians and ratios.

${parts.filter((part) => part !== '').join('\n')}`,
);

/** The sections that stand on the page already, by name. */
function sections() {
  let text = '';
  try {
    text = readFileSync(PAGE, 'utf8');
  } catch {
    return new Map();
  }
  const found = text.split(/^(?=## )/m).slice(1);
  return new Map(found.map((section) => [/<!-- (\S+) -->/.exec(section)?.[1] ?? '', `${section.trimEnd()}\n`]));
}
