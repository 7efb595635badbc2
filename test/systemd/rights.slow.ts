// The service as it ships, with each right taken away in turn: what is lost is what the guide's table says, and nothing else.

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { release, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { installationRoot } from '../../src/native.ts';
import { rightsTable } from './rights-table.ts';

const LONGEST_MS = 600_000;
const NAMESPACES = ['--pid', '--mount', '--uts', '--ipc', '--cgroup', '--net', '--fork', '--kill-child'];
const READER = 'faultline-environ@.service';
const SOCKET = 'faultline-environ.socket';
const DAEMON = 'faultline.service';

/** A drop-in that leaves these capabilities. */
const only = (...capabilities: string[]) =>
  ['[Service]', 'CapabilityBoundingSet=', 'AmbientCapabilities=', ...capabilities.flatMap((each) => [`CapabilityBoundingSet=${each}`, `AmbientCapabilities=${each}`]), ''].join('\n'); // biome-ignore format: one list
const noLog = '[Service]\nStandardInput=null\n';

/** What each row of the table takes away: files of the case for rights-probe.sh. */
const CASES: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  nothing: {},
  '`CAP_DAC_READ_SEARCH`': { [DAEMON]: only() },
  'the kernel log (`StandardInput=null`)': { [DAEMON]: noLog },
  'the reader (`faultline-environ.socket`)': { [SOCKET]: '[Unit]\nConditionPathExists=/nowhere\n' },
  "the reader's `CAP_DAC_READ_SEARCH`": { [READER]: only('CAP_PERFMON', 'CAP_SYS_PTRACE') },
  "the reader's `CAP_PERFMON`": { [READER]: only('CAP_DAC_READ_SEARCH', 'CAP_SYS_PTRACE') },
  "the reader's `CAP_SYS_PTRACE`": { [READER]: only('CAP_DAC_READ_SEARCH', 'CAP_PERFMON') },
  "the reader's `CAP_PERFMON` and `CAP_SYS_PTRACE`": { [READER]: only('CAP_DAC_READ_SEARCH') },
  'all of these': { [DAEMON]: `${only()}${noLog}`, [READER]: only() },
  'nothing, and the daemon is given `CAP_SYS_PTRACE`': { [DAEMON]: only('CAP_DAC_READ_SEARCH', 'CAP_SYS_PTRACE') },
};

interface Reported {
  readonly sources: readonly { readonly source: string; readonly status: string; readonly detail: string }[];
  readonly jobs: readonly {
    readonly id: string;
    readonly ranks: readonly { readonly rank: number }[];
    readonly framework: { readonly name: string } | null;
    readonly logs: readonly { readonly path: string }[];
  }[];
}

const sourceOf = ({ sources }: Reported, name: string) => sources.find(({ source }) => source === name);
const rankJob = ({ jobs }: Reported) => jobs.find(({ ranks }) => ranks.some(({ rank }) => rank === 3));

/** Each column of the table, as the running service shows it. */
const COLUMNS: Readonly<Record<string, (reported: Reported) => boolean>> = {
  'jobs by control group': ({ jobs }) => jobs.some(({ id }) => id === '77'),
  'ranks by variables': (reported) => rankJob(reported) !== undefined,
  'framework by libraries': (reported) => rankJob(reported)?.framework?.name === 'pytorch',
  'outputs by open files': ({ jobs }) => jobs.some(({ logs }) => logs.some(({ path }) => path.endsWith('/srv/logs/rank3.out'))), // biome-ignore format: one rule
  'logs in homes and containers': ({ sources }) => sources.some(({ source, detail }) => source === 'job-log' && /\/srv\/inside\/rank4\.out, [1-9]\d* lines/.test(detail)) && sources.some(({ source, detail }) => source === 'job-log' && /\/home\/runs\/rank5\.out, [1-9]\d* lines/.test(detail)), // biome-ignore format: one rule
  'dumps on the host': (reported) => /[12] dumps/.test(sourceOf(reported, 'flight-recorder')?.detail ?? ''),
  'dumps in containers': (reported) => /2 dumps/.test(sourceOf(reported, 'flight-recorder')?.detail ?? ''),
  "jobs' private logs": (reported) => /private\.log, 1 lines/.test(sourceOf(reported, 'job-log')?.detail ?? ''),
  'CPU power': (reported) => sourceOf(reported, 'cpu')?.status === 'works',
  'memory modules': (reported) => /1 memory module/.test(sourceOf(reported, 'inventory')?.detail ?? ''),
  'kernel log': (reported) => sourceOf(reported, 'kernel-log')?.status === 'works',
};

test('without each right that is lost which the guide says, and nothing else', (t) => {
  const work = mkdtempSync(join(tmpdir(), 'fl-rights-'));
  t.after(() => rmSync(work, { recursive: true, force: true }));
  const [major = 0, minor = 0] = release().split('.').map(Number);
  const rows = rightsTable(major > 6 || (major === 6 && minor >= 15));
  assert.deepEqual(rows.map(({ without }) => without), Object.keys(CASES)); // biome-ignore format: one line
  for (const { there } of rows) assert.deepEqual(Object.keys(there), Object.keys(COLUMNS));
  cpSync(join(import.meta.dirname, 'rights-probe.sh'), join(work, 'probe.sh'));
  for (const [index, files] of Object.values(CASES).entries()) {
    const folder = join(work, 'cases', String(index).padStart(2, '0'));
    mkdirSync(folder, { recursive: true });
    for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  }
  const sandbox = join(import.meta.dirname, 'sandbox.sh');
  const node = dirname(process.execPath);
  spawnSync('unshare', [...NAMESPACES, 'bash', sandbox, work, installationRoot(), node], { timeout: LONGEST_MS, killSignal: 'SIGKILL' }); // biome-ignore format: one call
  const output = readFileSync(join(work, 'output'), 'utf8');
  assert.match(output, /^finished$/m);
  assert.doesNotMatch(output, /hush/);
  const measured = [...output.matchAll(/^case (\d+) (\{.*?\}) (\{"schema":"faultline\/jobs.*)$/gm)];
  assert.equal(measured.length, rows.length, output);
  const found = rows.map(({ without }, index) => {
    const [, , status = '', jobs = ''] = measured[index] ?? [];
    const reported: Reported = { ...JSON.parse(status), ...JSON.parse(jobs) };
    return {
      without,
      there: Object.fromEntries(Object.entries(COLUMNS).map(([column, sees]) => [column, sees(reported)])),
    };
  });
  assert.deepEqual(found, rows);
});
