// The same lines give the same incidents whether they are read while they come or from a file, in whatever form it was saved.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { correlateHost } from '../../../src/commands/common/correlate-host.ts';
import { FoundEvents } from '../../../src/commands/scan/found-events.ts';
import { asOf, hostsOf } from '../../../src/commands/scan/host-names.ts';
import { Reading } from '../../../src/commands/scan/reading.ts';
import { Readings } from '../../../src/commands/scan/readings.ts';
import { Steps } from '../../../src/commands/scan/steps.ts';
import { wantedOf } from '../../../src/commands/scan/wanted.ts';
import { Pipeline } from '../../../src/daemon/pipeline.ts';
import { componentText } from '../../../src/model/component.ts';
import type { FaultEvent } from '../../../src/model/event.ts';
import type { Incident } from '../../../src/model/incident.ts';
import { native } from '../../../src/native.ts';
import { jobDiscoveries } from '../../../src/sources/job-log/discovery.ts';
import { recordText } from '../../../src/sources/kernel-log/kernel-log-source.ts';

const HOST = 'node-3';
const START = Date.UTC(2026, 10, 27, 12, 0, 0);
const UP_MS = 5_000_000;
const GPU = 'PCI:0000:9b:00';

interface Line {
  readonly ms: number;
  readonly text: string;
  readonly job?: true;
}

const kernel = (ms: number, text: string): Line => ({ ms, text });
const job = (ms: number, text: string): Line => ({ ms, text, job: true });
const flood = Array.from({ length: 3000 }, (_, i) => kernel(20 * i, `NVRM: Xid (${GPU}): 95, pid=7, Uncontained: LTC TAG (0x${i % 29},0x0). RST: Yes, D-RST: No`)); // biome-ignore format: one line

const STORIES: Readonly<Record<string, readonly Line[]>> = {
  'a GPU is lost and its job with it': [
    kernel(0, `NVRM: GPU at ${GPU}: GPU-12345678-9abc-def0-1234-56789abcdef0`),
    kernel(0, `NVRM: Xid (${GPU}): 79, pid='<unknown>', name=<unknown>, GPU has fallen off the bus.`),
    kernel(1, 'NVRM: GPU 0000:9b:00.0: GPU has fallen off the bus.'),
    kernel(900, `NVRM: Xid (${GPU}): 154, pid='<unknown>', name=<unknown>, GPU recovery action changed from 0x0 (None) to 0x2 (Node Reboot Required)`),
    job(2500, '[rank3]: Traceback (most recent call last):'),
    job(2500, '[rank3]:   File "/opt/train.py", line 9, in <module>'),
    job(2501, '[rank3]: RuntimeError: CUDA error: unspecified launch failure'),
  ],
  'a program faults on many units': [
    kernel(0, `NVRM: Xid (${GPU}): 13, pid='<unknown>', name=<unknown>, Graphics SM Warp Exception on (GPC 7, TPC 7, SM 0): Illegal Instruction`),
    kernel(1, `NVRM: Xid (${GPU}): 13, pid='<unknown>', name=<unknown>, Graphics SM Global Exception on (GPC 7, TPC 7, SM 0): Multiple Warp Errors`),
    kernel(2, `NVRM: Xid (${GPU}): 43, pid=4242, name=python3, Ch 00000008`),
  ],
  'memory runs out': [
    kernel(0, 'python3 invoked oom-killer: gfp_mask=0x140cca(GFP_HIGHUSER_MOVABLE|__GFP_COMP), order=0, oom_score_adj=0'),
    kernel(2, 'oom-kill:constraint=CONSTRAINT_NONE,nodemask=(null),cpuset=/,mems_allowed=0-1,global_oom,task_memcg=/x,task=python3,pid=4242,uid=1000'),
    kernel(3, 'Out of memory: Killed process 4242 (python3) total-vm:402653184kB, anon-rss:2012kB, file-rss:2048kB, shmem-rss:0kB, UID:1000 pgtables:412kB oom_score_adj:0'),
  ],
  'a flood of uncontained errors': flood,
  'nothing': [kernel(0, 'EXT4-fs (md127p3): re-mounted r/w. Quota mode: none.'), job(5, 'Loading the data set')],
}; // biome-ignore format: a line a line

const iso = (ms: number): string => new Date(START + ms).toISOString();
const uptime = (ms: number): string => ((UP_MS + ms) / 1000).toFixed(6);

/** Each form dates its lines to the millisecond at least, so that nothing but the form differs. */
const FORMS: Readonly<Record<string, (line: Line, index: number) => string>> = {
  'short-iso of the journal': ({ ms, text }) => `${iso(ms)} ${HOST} kernel: ${text}`,
  'RFC 5424': ({ ms, text }) => `<4>1 ${iso(ms)} ${HOST} kernel - - - ${text}`,
  'JSON of the journal': ({ ms, text }) => JSON.stringify({ MESSAGE: text, _HOSTNAME: HOST, _TRANSPORT: 'kernel', __REALTIME_TIMESTAMP: String((START + ms) * 1000) }), // biome-ignore format: one line
  'the device': ({ ms, text }, index) => `4,${index},${(UP_MS + ms) * 1000},-;${text}`,
  dmesg: ({ ms, text }) => `[${uptime(ms)}] ${text}`,
};

type Answer = readonly (readonly [root: string, severity: string, chain: readonly string[], action: string])[];

function answerOf(incidents: readonly Incident[]): Answer {
  const place = (component: Incident['root']['component']) => (component === null ? '?' : componentText(component));
  return incidents
    .filter(({ mergedInto }) => mergedInto === null)
    .map(({ root, severity, chain, action }) => {
      const links = chain.map((link) => `${link.kind} ${place(link.component)}`);
      return [`${root.kind} ${place(root.component)}`, severity, links, action.kind] as const;
    });
}

function live(lines: readonly Line[]) {
  const core = new (native().Core)({ historySeconds: 10, maxSeries: 256 });
  const incidents = new Map<string, Incident>();
  const events = new Map<string, FaultEvent>();
  let nowMs = START;
  const pipeline = new Pipeline({
    host: HOST, core, latenessMs: 30_000, holdMs: 30_000, links: [], adviseOnWords: true,
    now: () => nowMs,
    onEvent: (event) => events.set(event.id, event),
    onIncident: (incident) => incidents.set(incident.id, incident),
  }); // biome-ignore format: one object
  const config = { job: 'job', path: '/logs/job.log', framework: 'auto', ranks: [], worldSize: null } as const;
  if (lines.some((line) => line.job)) for (const found of jobDiscoveries(config, HOST)) pipeline.discovery(found);
  lines.forEach((line, sequence) => {
    nowMs = START + line.ms;
    pipeline.advance(nowMs);
    if (line.job)
      pipeline.text({ source: 'job-log', trust: 'tenant', stream: 'job/job:/logs/job.log', position: sequence, timeMs: null, timeDigits: 3, observedMs: nowMs, text: line.text, attributes: { job: 'job', framework: 'auto' } }); // biome-ignore format: one line
    else
      pipeline.text(
        recordText(
          { sequence, timeMs: nowMs, observedMs: nowMs, priority: 4, facility: 0, text: line.text },
          '/dev/kmsg',
        ),
      );
  });
  pipeline.finish();
  core.close();
  return { answer: answerOf([...incidents.values()]), counts: countsOf([...events.values()]) };
}

/** What an incident shows of a count may be of a moment before: the events have it all. */
const countsOf = (events: readonly FaultEvent[]): readonly (readonly [string, number])[] =>
  events.map(({ kind, count }) => [kind, count] as const).sort();

async function* once(text: string) {
  yield Buffer.from(text);
}

async function scanned(lines: readonly Line[], form: (line: Line, index: number) => string) {
  const found = new FoundEvents();
  const reading = new Reading({ found, steps: new Steps(), readings: new Readings(), wanted: wantedOf({}, START) });
  const last = START + Math.max(...lines.filter((line) => !line.job).map(({ ms }) => ms));
  const text = lines
    .filter((line) => !line.job)
    .map(form)
    .join('\n');
  await reading.read({ name: '/logs/kern.log', savedMs: last, bytes: once(text) });
  const jobText = lines
    .filter((line) => line.job)
    .map(({ ms, text: words }) => `${iso(ms)} ${words}`)
    .join('\n');
  if (jobText !== '') await reading.read({ name: '/logs/job.log', savedMs: last, bytes: once(jobText) });
  const [host, ...others] = hostsOf(reading.named, reading.unnamed);
  assert.deepEqual(others, []);
  const foundAs = host?.foundAs ?? [];
  const { incidents, events } = correlateHost(
    HOST,
    found.of(foundAs).map((event) => asOf(HOST, event, new Set(foundAs))),
  );
  return { answer: answerOf(incidents), counts: countsOf(events) };
}

for (const [story, lines] of Object.entries(STORIES)) {
  for (const [name, form] of Object.entries(FORMS)) {
    test(`${story}: ${name}`, async () => {
      const [file, now] = [await scanned(lines, form), live(lines)];
      assert.deepEqual(file, now);
      assert.equal(now.answer.length > 0, story !== 'nothing');
    });
  }
}
