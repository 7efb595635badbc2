// Gives the lines of saved logs to daemons that run, one a log, through the files that their sources of the kernel log and of job logs
// follow, and writes what each found as `faultline scan --json` prints it. Lines come as the kernel and the job write them, at their true
// distances to two hours where the clock runs faster (FAKETIME), else cut to 200 ms.

import { appendFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { surroundingsOfProcess } from '../../../src/config/load-config.ts';
import { Agent } from '../../../src/daemon/agent.ts';
import { readConfig } from '../../../src/daemon/config.ts';
import { loadIncidents } from '../../../src/incidents/log/load.ts';
import { eventToDocument } from '../../../src/model/documents/event.ts';
import { incidentToDocument } from '../../../src/model/documents/incident.ts';
import { SavedText } from '../../../src/sources/saved-text/saved-text.ts';

/** Two hours where a clock runs faster than the true one (libfaketime): longer than anything is waited for or joined over. */
const LONGEST_GAP_MS = process.env.FAKETIME === undefined ? 200 : 7_200_000;
/** A scan does not put the lines of a short kernel log without times into one chain. */
const UNDATED_GAP_MS = process.env.FAKETIME === undefined ? 0 : 300_000;
/** Sources look every few hundred milliseconds; what the decoders hold back comes within two seconds. Of the true clock: work takes that. */
const FASTER = Number(process.env.FAKETIME?.split('x')[1] ?? 1);
const [BEFORE_MS, AFTER_MS] = [1000 * FASTER, 3500 * FASTER];
const AT_ONCE = 8;
const OFF = ['gpu', 'cpu', 'nic', 'hwmon', 'drm', 'pci', 'system', 'inventory', 'processes', 'slurm', 'flight_recorder', 'found_logs', 'after_crash', 'kubernetes', 'journal']; // biome-ignore format: a list
const LOGGER = Object.fromEntries(
  ['trace', 'debug', 'info', 'warn', 'error', 'fatal'].map((level) => [level, () => {}]),
);
const SILENT = { ...LOGGER, child: () => SILENT };

const [data, out] = process.argv.slice(2);
const names = Object.keys(JSON.parse(readFileSync(join(data, 'expected.json'), 'utf8')));
await Promise.all(
  Array.from({ length: AT_ONCE }, async () => {
    for (let name = names.shift(); name !== undefined; name = names.shift()) {
      const found = await live(join(data, `${name}.txt`));
      mkdirSync(dirname(join(out, name)), { recursive: true });
      writeFileSync(join(out, `${name}.txt`), JSON.stringify({ progress: [], readings: [], ...found }));
    }
  }),
);
process.exit(0);

async function live(path) {
  const label = basename(path, '.txt');
  const lines = [];
  const onRecord = (record, host) => lines.push({ record, host: host ?? label });
  const text = new SavedText({ name: path, job: label, savedMs: Date.now(), onRecord, onTime: () => {} });
  text.push(readFileSync(path));
  text.end();
  const answers = [];
  for (const [host, own] of Map.groupBy(lines, (line) => line.host))
    answers.push(await onHost(host, label, own.map(({ record }) => record))); // biome-ignore format: one line
  return { incidents: answers.flatMap(({ incidents }) => incidents), events: answers.flatMap(({ events }) => events) };
}

async function onHost(host, label, records) {
  const folder = mkdtempSync(join(tmpdir(), 'fl-'));
  const [kernel, job, file, log] = ['kmsg', 'job.log', 'faultline.yaml', 'log'].map((name) => join(folder, name));
  writeFileSync(kernel, '');
  writeFileSync(job, '');
  const off = OFF.map((name) => `  ${name}: {enabled: off}\n`).join('');
  const sources = `  kernel_log: {enabled: on, path: "${kernel}"}\n  job_log: [{job: "${label}", path: "${job}"}]\n${off}`;
  const directories = `{state: "${folder}/state", log: "${log}", runtime: "${folder}/run"}`;
  writeFileSync(file, `host: "${host}"\ndirectories: ${directories}\nsources:\n${sources}`);
  const { config } = await readConfig(file, surroundingsOfProcess());
  const agent = await Agent.start({ config, logger: SILENT, version: 'live', mustRecord: false });
  try {
    await sleep(BEFORE_MS);
    let before = records[0]?.observedMs ?? 0;
    for (const [i, { source, observedMs, timeMs, text }] of records.entries()) {
      const undated = timeMs === null && source === 'kernel-log' && i > 0 ? UNDATED_GAP_MS : 0;
      const gap = Math.min(LONGEST_GAP_MS, Math.max(undated, observedMs - before));
      if (gap >= 1) await sleep(gap);
      before = observedMs;
      const usec = Math.round(Number(process.hrtime.bigint()) / 1000);
      if (source === 'kernel-log') appendFileSync(kernel, `4,${i + 1},${usec},-;${text}\n`);
      else appendFileSync(job, `${text}\n`);
    }
    await sleep(AFTER_MS);
    await agent.stop();
    const { incidents } = await loadIncidents(log, { limit: 1000, withEvents: () => true, evidence: true });
    const events = new Map(incidents.flatMap((incident) => incident.events).map((event) => [event.id, event]));
    return {
      incidents: incidents.filter(({ mergedInto }) => mergedInto === null).map(incidentToDocument),
      events: [...events.values()].map((event) => eventToDocument(event, host)),
    };
  } finally {
    await agent.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}
