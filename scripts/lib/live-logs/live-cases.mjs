// Gives the lines of saved logs to daemons that run, one a log, through the files that their sources of the kernel log and of job logs
// follow, and writes what each found as `faultline scan --json` prints it. Lines come as the kernel and the job write them, at their true
// distances to two hours where the clock runs faster (FAKETIME), else cut to 200 ms.

import { appendFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
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
import { textsOf, writesOf } from './schedule.mjs';

/** Two hours where a clock runs faster than the true one (libfaketime): longer than anything is waited for or joined over. */
const LONGEST_GAP_MS = process.env.FAKETIME === undefined ? 200 : 7_200_000;
/** Next to a line of a short kernel log that says no time: a scan puts it into no chain, as it may be of any day. */
const UNDATED_GAP_MS = process.env.FAKETIME === undefined ? 0 : 300_000;
/** Sources look every few hundred milliseconds; what the decoders hold back comes within two seconds. Of the true clock: work takes that. */
const FASTER = Number(process.env.FAKETIME?.split('x')[1] ?? 1);
const [BEFORE_MS, AFTER_MS] = [1000 * FASTER, 3500 * FASTER];
const LONGEST_WAITS = 60;
/** Behind the lines of a job a log that is over must fall silent: until six steps of two minutes are missing. */
const SILENT_MS = FASTER > 1 ? 800_000 : 0;
/** Lines so close come in one write, as a moment of work here is a second of the clock there; the kernel's stamps tell them apart. */
const TOGETHER_MS = FASTER > 1 ? 20 * FASTER : 0;
const DISTANCES = { longestGapMs: LONGEST_GAP_MS, undatedGapMs: UNDATED_GAP_MS, togetherMs: TOGETHER_MS };
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
  const at = (name) => join(folder, name);
  const [kernel, job, file, log] = ['kmsg', 'job.log', 'faultline.yaml', 'log'].map(at);
  writeFileSync(kernel, '');
  writeFileSync(job, '');
  const off = OFF.map((name) => `  ${name}: {enabled: off}\n`).join('');
  const read = `  kernel_log: {enabled: on, path: "${kernel}", user_lines: true}\n  syslog_in: {listen: ["unix:${at('syslog')}"]}\n`;
  const sources = `${read}  job_log: [{job: "${label}", path: "${job}"}]\n${off}`;
  const directories = `{state: "${folder}/state", log: "${log}", runtime: "${folder}/run"}`;
  writeFileSync(file, `host: "${host}"\ndirectories: ${directories}\nsources:\n${sources}`);
  const { config } = await readConfig(file, surroundingsOfProcess());
  const agent = await Agent.start({ config, logger: SILENT, version: 'live', mustRecord: false });
  try {
    await sleep(BEFORE_MS);
    for (let waited = 0; !existsSync(at('syslog')); waited += 1) {
      if (waited === LONGEST_WAITS)
        throw new Error(`${at('syslog')} is not there after a minute: its source did not start`);
      await sleep(BEFORE_MS);
    }
    let startMs = uptimeMs();
    for (const lines of writesOf(records, DISTANCES)) {
      const leftMs = startMs + lines.at(-1).atMs - uptimeMs();
      if (leftMs >= 1) await sleep(leftMs);
      // Where the machine was busy all that follows comes as much later.
      startMs = Math.max(startMs, uptimeMs() - lines.at(-1).atMs);
      const texts = textsOf(lines, startMs);
      appendFileSync(kernel, texts.kernel);
      appendFileSync(job, texts.job);
      await send(at('syslog'), texts.syslog);
    }
    await sleep(Math.max(AFTER_MS, records.some(({ source }) => source === 'job-log') ? SILENT_MS : 0));
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

function uptimeMs() {
  return Number(process.hrtime.bigint()) / 1e6;
}

async function send(path, text) {
  if (text === '') return;
  const socket = connect(path);
  await new Promise((resolve, reject) => socket.once('error', reject).once('finish', resolve).end(text));
}
