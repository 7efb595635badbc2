// faultline scan, as its process prints it.

import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { PROGRAM } from '../program.ts';
import { until } from '../until.ts';
import { faultline } from './run-cli.ts';

const LOST = [
  'Feb 14 05:03:41 node-a kernel: NVRM: Xid (PCI:0000:9b:00): 79, GPU has fallen off the bus.',
  'Feb 14 05:03:41 node-a kernel: NVRM: GPU 0000:9b:00.0: GPU has fallen off the bus.',
  'Feb 14 05:03:42 node-b kernel: NVRM: Xid (PCI:0000:3b:00): 79, GPU has fallen off the bus.',
].join('\n');

function saved(t: TestContext, text: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'faultline-scan-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const path = join(folder, 'messages.txt');
  writeFileSync(path, text);
  return path;
}

test('a log of two hosts gives an incident of each, by contract', async (t) => {
  const { status, stdout, stderr } = await faultline(['scan', '--json', saved(t, LOST)]);
  assert.equal(status, 0, stderr);
  const { schema, inputs, incidents, events, progress, readings } = JSON.parse(stdout);
  assert.equal(schema, 'faultline/scan/1');
  assert.deepEqual(inputs.map(({ format, lines, undated_lines: undated }: Record<string, unknown>) => [format, lines, undated]), [['syslog_rfc3164', 3, 0]]); // biome-ignore format: one line
  const found = incidents.map((incident: { host: string; root: { kind: string; component: { id: string } } }) => [
    incident.host,
    incident.root.kind,
    incident.root.component.id,
  ]);
  assert.deepEqual(found.sort(), [
    ['node-a', 'gpu.lost', '0000:9b:00.0'],
    ['node-b', 'gpu.lost', '0000:3b:00.0'],
  ]);
  assert.ok(events.length >= 2);
  assert.deepEqual([progress, readings], [[], []]);
});

test('what is found can decide the exit status', async (t) => {
  const path = saved(t, LOST);
  assert.equal((await faultline(['scan', '--fail-on', 'critical', path])).status, 1);
  const calm = saved(t, 'Feb 14 05:03:41 node-a kernel: EXT4-fs (md127p3): re-mounted r/w. Quota mode: none.\n');
  assert.equal((await faultline(['scan', '--fail-on', 'info', calm])).status, 0);
});

test('without a path an example says what to write', async () => {
  const { status, stderr } = await faultline(['scan']);
  assert.match(stderr, /^FL1200 missing required argument 'path'\. For example: faultline scan dmesg\.txt/);
  assert.equal(status, 2);
});

test('text says who broke and what to do', async (t) => {
  const { stdout } = await faultline(['scan', saved(t, LOST)]);
  assert.match(stdout, /INCIDENT [0-9a-f]{6} +critical/);
  assert.match(stdout, /Do +reboot node-a/);
});

test('options that leave no line to judge are no all-clear, and say what there is', async (t) => {
  const path = saved(t, LOST);
  const host = await faultline(['scan', '--host', 'node-z', path]);
  assert.match(
    host.stdout,
    /\nNothing was judged: no line is of the --host asked for; the logs are of node-a, node-b\.\n$/,
  );
  assert.equal(host.status, 1);
  const time = await faultline(['scan', '--until', '2001-01-01T00:00:00Z', path]);
  assert.match(
    time.stdout,
    /\nNothing was judged: no line that was read is of the time asked for; they are of 20\d\d-02-14T05:03:41Z to /,
  );
  assert.equal(time.status, 0);
  const json = await faultline(['scan', '--json', '--host', 'node-z', path]);
  assert.match(json.stderr, /^FL1405 Nothing was judged: /);
  const empty = join(dirname(path), 'empty');
  mkdirSync(empty);
  const none = await faultline(['scan', empty]);
  assert.match(none.stdout, /\nNothing was read: /);
  assert.equal(none.status, 1);
  assert.equal((await faultline(['scan', '--host', 'node-*', path])).status, 0);
});

test('of several incidents the end names the gravest, and the inputs that were not read', async (t) => {
  const path = saved(
    t,
    `Feb 14 04:03:41 node-c kernel: EXT4-fs error (device sda1): ext4_find_entry: reading directory\n${LOST}\n`,
  );
  const { stdout, stderr, status } = await faultline(['scan', path, '/nope/dmesg.txt']);
  assert.match(
    stdout,
    /1 input could not be read, or not to the end: see FL1402\.\nThe (?:gravest of them|first to read): [0-9a-f]{6}, critical: .*gpu.*\.\n$/,
  );
  assert.match(stderr, /^FL1402 \/nope\/dmesg\.txt could not be read: there is no such file or folder\.\n/);
  assert.equal(status, 1);
});

test('the end names the log of the gravest where no line names its host, and why the driver is followed', async (t) => {
  const path = saved(
    t,
    [
      '[ 8800.100000] EXT4-fs error (device sda1): ext4_find_entry: reading directory',
      '[ 9812.100000] NVRM: Xid (PCI:0000:9b:00): 79, GPU has fallen off the bus.',
      '[ 9812.600000] NVRM: Xid (PCI:0000:9b:00): 154, GPU recovery action changed from 0x0 (None) to 0x1 (GPU Reset Required)',
      '',
    ].join('\n'),
  );
  const { stdout } = await faultline(['scan', path]);
  assert.match(stdout, /\nThe (?:gravest of them|first to read): .*gpu.* \(host not named, log [^)]+\)\.\n$/, stdout);
  assert.doesNotMatch(stdout, /held to how often/);
  assert.doesNotMatch(stdout, /asks for it \(/);
});

test('what a scan advises needs no incident log', async (t) => {
  const path = saved(t, '   2 | 11/28/2026 | 09:00:01 | Power Supply #0x54 | Failure detected | Asserted\n');
  const { stdout } = await faultline(['scan', path]);
  assert.match(stdout.replace(/\n +/g, ' '), /open a case for .* with the logs that were scanned, and this report/);
  assert.doesNotMatch(stdout, /faultline (?:bundle|explain)/);
});

test('a file that says nothing is not called after anything, and binary ones next to it are passed over', async (t) => {
  const path = saved(t, 'hello\n');
  for (let i = 0; i < 3; i += 1) writeFileSync(join(dirname(path), `core.${i}`), Buffer.alloc(1_000_000));
  const { stdout, stderr, status } = await faultline(['scan', dirname(path)]);
  assert.match(stdout, /\nNothing was judged: no line in a known form\. What is read: .*\.\n$/);
  assert.doesNotMatch(stdout, /no line names the host/);
  assert.equal(stderr, '');
  assert.equal(status, 0);
});

test('what is in no known form gives no all-clear, and no pass where a status was asked for', async (t) => {
  const quiet = saved(t, '2026-11-28 10:00:00,123 INFO all is well\n');
  assert.match((await faultline(['scan', quiet])).stdout, /\nNo incident: /);
  assert.equal((await faultline(['scan', '--fail-on', 'error', quiet])).status, 0);
  for (const text of ['', 'hello world\n'.repeat(300)]) {
    const path = saved(t, text);
    const plain = await faultline(['scan', path]);
    assert.match(plain.stdout, /\nNothing was judged: no line in a known form\./);
    assert.equal(plain.status, 0);
    assert.equal((await faultline(['scan', '--fail-on', 'error', path])).status, 1);
  }
  assert.equal((await faultline(['scan', '--fail-on', 'error', '--until', '2001-01-01T00:00:00Z', quiet])).status, 1);
});

test('one hot GPU and one lost supply are looked at where they are before the site is asked', async (t) => {
  const hot = saved(
    t,
    'GPU 00000000:43:00.0\n    Clocks Event Reasons\n        HW Thermal Slowdown           : Active\n',
  );
  const gpu = (await faultline(['scan', hot])).stdout.replace(/\n +/g, ' ');
  assert.match(gpu, /Now +compare gpu 0000:43:00\.0 with the other GPUs of .* its heat sink, paste, dust and slot/);
  assert.doesNotMatch(gpu, /Call +the facility/);
  const sel = saved(t, '   2 | 11/28/2026 | 02:14:33 | Power Supply #0xc8 | Power Supply AC lost | Asserted\n');
  const supply = (await faultline(['scan', sel])).stdout.replace(/\n +/g, ' ');
  assert.match(
    supply,
    /Now +look at the cord and the outlet of .*; then ask what was logged at 02:14:33 UTC by the UPS/,
  );
});

test('a FIFO that no process writes to is named after a while, and read once one does', async (t) => {
  const path = join(dirname(saved(t, '')), 'fifo');
  execFileSync('mkfifo', [path]);
  const scan = spawn(process.execPath, [PROGRAM, 'scan', path]);
  t.after(() => scan.kill());
  const said = { out: '', err: '' };
  scan.stdout.setEncoding('utf8').on('data', (text: string) => (said.out += text));
  scan.stderr.setEncoding('utf8').on('data', (text: string) => (said.err += text));
  await until(() => said.err !== '');
  assert.equal(
    said.err,
    `waits for ${path}: it is not a regular file, and no process has written to it yet; Ctrl-C ends it\n`,
  );
  await writeFile(path, LOST);
  await once(scan, 'close');
  assert.match(said.out, /INCIDENT [0-9a-f]{6} +critical/);
});

test('a page and a text for tickets of what was found, chosen by its id; explain says where such an id leads', async (t) => {
  const path = saved(t, LOST);
  const { stdout } = await faultline(['scan', path]);
  assert.match(stdout, /--format html or markdown a page of all\./);
  const [id = ''] = /(?<=INCIDENT )[0-9a-f]{6}/.exec(stdout) ?? [];
  const page = await faultline(['scan', path, '--incident', id, '--format', 'html']);
  assert.match(page.stdout, /^<!doctype html>[\s\S]*fell off the bus[\s\S]*<\/html>\n$/);
  assert.doesNotMatch(page.stdout, /faultline (?:explain|bundle) |incidents\.jsonl/);
  assert.equal(page.status, 0, page.stderr);
  const all = await faultline(['scan', path, '--format', 'html']);
  const anchors = [...all.stdout.matchAll(/<li><a href="#(i-[0-9a-f]{6})">/g)].map(([, anchor]) => anchor);
  assert.deepEqual([anchors[0], anchors.length, all.status], [`i-${id}`, 2, 0]);
  for (const anchor of anchors) assert.match(all.stdout, new RegExp(`<h2 id="${anchor}"`));
  assert.match(all.stdout, /<h1>2 incidents, the gravest first: act on [0-9a-f]{6} before the other<\/h1>/);
  const ids = [...all.stdout.matchAll(/ id="([^"]+)"/g)].map(([, each]) => each);
  assert.equal(new Set(ids).size, ids.length);
  const out = join(dirname(path), 'ticket.md');
  const ticket = await faultline(['scan', path, '--format', 'markdown', '--out', out]);
  assert.match(ticket.stderr, /^written: .*ticket\.md\. It can be pasted into a ticket\n$/);
  assert.equal(readFileSync(out, 'utf8').match(/^\*\*INCIDENT /gm)?.length, 2);
  const one = await faultline(['scan', path, '--incident', id, '--json']);
  assert.deepEqual(
    JSON.parse(one.stdout).incidents.map((each: { id: string }) => each.id.slice(0, 6)),
    [id],
  );
  for (const [words, code, status] of [
    [['--incident', 'ffffffff'], 'FL3120 no incident ffffffff in what was scanned: there is ', 1],
    [['--incident', 'xyz'], 'FL3122 "xyz" is not an incident id', 2],
    [['--format', 'pdf'], 'FL3125 --format "pdf" is unknown', 2],
  ] as const) {
    const refused = await faultline(['scan', path, ...words]);
    assert.ok(refused.stderr.startsWith(code), refused.stderr);
    assert.deepEqual([refused.stdout, refused.status], ['', status]);
  }
  const log = dirname(path);
  const explained = await faultline(['explain', id, '--log-directory', log]);
  assert.match(
    explained.stderr,
    new RegExp(`One that a scan printed is in no log: faultline scan PATH\\.\\.\\. --incident ${id} --format html`),
  );
});

test('the document has what the report says to do, and that it is in no log', async (t) => {
  const { stdout } = await faultline(['scan', '--json', saved(t, LOST)]);
  const [incident] = JSON.parse(stdout).incidents;
  const { do: act, now, call, runbook } = incident.advice;
  assert.deepEqual([incident.log, runbook], ['none', 'docs/runbooks/gpu.md#gpulost']);
  assert.match(act, /^reboot /);
  assert.match(now, /^let no new work onto .*; once nothing runs on .* reboot it: sudo systemctl reboot$/);
  assert.match(call, /^who runs /);
});

test('two forms of output at once are wrong usage', async (t) => {
  const { status, stdout, stderr } = await faultline(['scan', '--json', '--format', 'html', saved(t, LOST)]);
  assert.deepEqual([status, stdout], [2, '']);
  assert.match(stderr, /^FL1200 --json and --format html are two forms of output: leave one out$/m);
});
