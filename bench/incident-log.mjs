// Bench: how long an incident takes from append to durable on disk, alone, in bursts, and what bare write + fdatasync costs.
// Run: node bench/incident-log.mjs [directory]   (default: a folder under the system's temporary one)

import { mkdtempSync, rmSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { monitorEventLoopDelay, performance } from 'node:perf_hooks';
import { eventLine, incidentLine } from '../src/incidents/log/incident-lines.ts';
import { IncidentLog } from '../src/incidents/log/incident-log.ts';
import { smallIncident } from '../test/incidents/sample.ts';

const RUNS = 1000;
const BURST = 50;
const directory = mkdtempSync(join(process.argv[2] ?? tmpdir(), 'faultline-bench-'));

function report(name, times) {
  const sorted = times.toSorted((a, b) => a - b);
  const at = (share) => sorted[Math.min(Math.floor(sorted.length * share), sorted.length - 1)].toFixed(2).padStart(8);
  console.log(`${name.padEnd(44)} p50 ${at(0.5)} ms   p99 ${at(0.99)} ms   max ${at(1)} ms`);
}

async function timed(work) {
  const start = performance.now();
  await work();
  return performance.now() - start;
}

const sample = smallIncident(1);
const bytes = Buffer.concat([...sample.events.map((event) => eventLine(event, sample.host)), incidentLine(sample)]);
console.log(`${RUNS} runs, ${bytes.length} bytes an incident, in ${directory}`);
try {
  const file = await open(join(directory, 'bare'), 'a');
  const bare = [];
  for (let run = 0; run < RUNS; run += 1) {
    bare.push(
      await timed(async () => {
        await file.write(bytes);
        await file.datasync();
      }),
    );
  }
  await file.close();
  report('bare write + fdatasync', bare);

  const caps = { maxBytes: 1 << 30, maxFiles: 10, maxAgeMs: 1e12 };
  const log = new IncidentLog({ directory, ...caps, onTrouble: (code, detail) => console.log(code, detail) });
  const alone = [];
  for (let run = 0; run < RUNS; run += 1) alone.push(await timed(() => log.append(smallIncident(run, 1, 'resolved'))));
  report('append → durable, one at a time', alone);

  const delay = monitorEventLoopDelay({ resolution: 1 });
  delay.enable();
  const burst = [];
  for (let run = 0; run < RUNS; run += BURST) {
    const appends = Array.from({ length: BURST }, (_, index) => RUNS + run + index);
    burst.push(
      ...(await Promise.all(appends.map((number) => timed(() => log.append(smallIncident(number, 1, 'resolved')))))),
    );
  }
  delay.disable();
  report(`append → durable, ${BURST} at once`, burst);
  console.log(`event loop held at most ${(delay.max / 1e6).toFixed(1)} ms during the bursts (1 ms resolution)`);
  await log.close();
  const { written, unavailable } = log.counts();
  if (written !== 2 * RUNS || unavailable !== 0) throw new Error(`${written} written, ${unavailable} unavailable`);
} finally {
  rmSync(directory, { recursive: true });
}
