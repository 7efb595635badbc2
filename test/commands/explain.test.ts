import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { test } from 'node:test';
import { renderIncidentText } from '../../src/incidents/report/text.ts';
import { incidentFromDocument } from '../../src/model/documents/incident.ts';
import { installationRoot } from '../../src/native.ts';
import { incident, T0 } from '../incidents/sample.ts';
import { BrokenPipe, logOf, run, start } from './incident-command.ts';

const FIRST = incident('7f3c41d2a0b1');
const OTHER = incident('7f3cffffffff');

test('an id, or the beginning of one, is explained as text', async (t) => {
  const directory = await logOf(t, FIRST, OTHER);
  const expected = renderIncidentText(FIRST, {
    width: 100,
    colour: false,
    nowMs: T0 + 107_000,
    timeZone: 'UTC',
    logPath: join(directory, 'incidents.jsonl'),
    root: installationRoot(),
    place: ` --log-directory ${directory}`,
  });
  for (const id of ['7f3c41d2a0b1', '7f3c4', '7F3C41']) {
    const { stdout, stderr, status } = await run('explain', id, '--log-directory', directory);
    assert.deepEqual([stdout, stderr, status], [`${expected}\n`, '', 0]);
  }
});

test('the commands in a page and in Markdown find the incident where this one did', async (t) => {
  const directory = await logOf(t, { ...FIRST, action: { kind: 'contact_vendor', target: FIRST.root.component, why: '' } });
  for (const format of ['html', 'markdown']) {
    const { stdout } = await run('explain', '7f3c', '--format', format, '--log-directory', directory);
    const commands = ['bundle 7f3c41', 'explain 7f3c41 --format json', ...(format === 'html' ? ['explain 7f3c41 --format html'] : [])];
    for (const command of commands) assert.ok(stdout.includes(`faultline ${command} --log-directory ${directory}`), `${format}: ${command}`);
  }
}); // biome-ignore format: one line each

test('the runbook is named with the path at which it can be read', async (t) => {
  const { stdout } = await run('explain', '7f3c', '--log-directory', await logOf(t, FIRST));
  const [path = '', section = ''] = (/^Runbook +(\S+)$/m.exec(stdout)?.[1] ?? '').split('#');
  assert.ok(readFileSync(path, 'utf8').includes('power.voltage_sag'), path);
  assert.equal(section, 'powervoltage_sag');
});

test('a terminal of 80 columns gets lines of 80', async (t) => {
  let text = '';
  const terminal = Object.assign(new PassThrough().setEncoding('utf8'), { isTTY: true, columns: 80 });
  terminal.on('data', (part: string) => {
    text += part;
  });
  const directory = await logOf(t, FIRST);
  await start(['explain', '7f3c', '--log-directory', directory], terminal).done;
  const paths = /^(Runbook|Log|Samples) /;
  const lines = text.split('\n').filter((line) => !paths.test(line));
  assert.ok(lines.length > 5);
  // A command is not broken: it could not be copied.
  for (const line of lines) assert.ok(line.length <= 80 || /^ +faultline explain \S+ --format json/.test(line), line);
});

test('the black box is named where there is one', async (t) => {
  const directory = await logOf(t, FIRST);
  const path = join(directory, `${FIRST.id}.samples.csv`);
  writeFileSync(
    path,
    'time,component,quantity,value\n2026-11-27T14:31:00.000Z,gpu/a,power,1\n2026-11-27T14:33:00.000Z,gpu/a,power,2\n2026-11-27T14:32:00.000Z,gpu/b,power,3\n',
  );
  const { stdout } = await run('explain', '7f3c', '--log-directory', directory);
  assert.match(stdout, /black box 14:31–14:33/);
  assert.ok(stdout.replaceAll(/\n {2,}/g, '').includes(`Samples        ${path}\n`));
  const { samples } = JSON.parse(
    (await run('explain', '7f3c', '--format', 'json', '--log-directory', directory)).stdout,
  );
  assert.deepEqual(samples, { path, from: '2026-11-27T14:31:00.000Z', to: '2026-11-27T14:33:00.000Z' });
  writeFileSync(path, 'garbage');
  assert.doesNotMatch((await run('explain', '7f3c', '--log-directory', directory)).stdout, /black box/);
});

test('--format json is one whole document with its events', async (t) => {
  const directory = await logOf(t, FIRST);
  const { stdout } = await run('explain', '7f3c', '--format', 'json', '--log-directory', directory);
  assert.deepEqual(incidentFromDocument(JSON.parse(stdout)), FIRST);
});

test('--out writes the file and nothing else', async (t) => {
  const directory = await logOf(t, FIRST);
  const out = join(directory, 'report.txt');
  const { stdout, status } = await run('explain', '7f3c', '--out', out, '--log-directory', directory);
  assert.deepEqual([stdout, status], ['', 0]);
  assert.match(readFileSync(out, 'utf8'), /^INCIDENT 7f3c41 {3}error/);
  const failed = await run('explain', '7f3c', '--out', join(directory, 'no', 'r.txt'), '--log-directory', directory);
  assert.match(
    failed.stderr,
    /^FL3126 .*could not be written: its folder is not there\. Name another file with --out\n$/,
  );
  assert.equal(failed.status, 1);
});

test('an ambiguous beginning lists what it could mean', async (t) => {
  const directory = await logOf(t, FIRST, OTHER);
  const { stdout, stderr, status } = await run('explain', '7f3c', '--log-directory', directory);
  assert.match(
    stderr,
    /^FL3121 2 incidents begin with 7f3c; give more digits:\n {2}7f3c41d2a0b1 {2}7f3c41.*\n {2}7f3cffffffff /,
  );
  assert.deepEqual([stdout, status], ['', 2]);
});

test('what is not an id, or of no incident, is reported', async (t) => {
  const directory = await logOf(t, FIRST);
  const cases = [
    ['7f3', /^FL3122 "7f3" is not an incident id/, 2],
    ['../x', /^FL3122 /, 2],
    ['abcd', /^FL3120 no incident abcd in .*faultline incidents --log-directory \S+ lists/, 1],
  ] as const;
  for (const [id, message, expected] of cases) {
    const { stderr, status } = await run('explain', id, '--log-directory', directory);
    assert.match(stderr, message);
    assert.equal(status, expected);
  }
});

test('--format markdown and html are whole reports, with the black box where there is one', async (t) => {
  const directory = await logOf(t, FIRST);
  const rows = [0, 1, 2].map((s) => `2026-11-27T14:32:0${s}.000Z,gpu/0000:1b:00.0,power,${300 + s}`);
  const head = 'time,component,quantity,value';
  writeFileSync(join(directory, `${FIRST.id}.samples.csv`), `${[head, ...rows].join('\n')}\n`);
  const markdown = await run('explain', '7f3c', '--format', 'markdown', '--log-directory', directory);
  assert.match(markdown.stdout, /^## voltage sag on pdu-b-rack-14 phase 1: 121\.4 → 108\.2 V \(limit 109\.3 V\)\n/);
  assert.match(markdown.stdout, /\| Power of GPU \| node-3 gpu 0 \|/);
  const out = join(directory, 'report.html');
  const { stdout, stderr } = await run(
    'explain',
    '7f3c',
    '--format',
    'html',
    '--out',
    out,
    '--log-directory',
    directory,
  );
  assert.equal(stdout, '');
  assert.equal(
    stderr,
    `written: ${out}. Open it in a browser, or attach it to a ticket: one file, nothing is loaded and nothing runs\n`,
  );
  const page = readFileSync(out, 'utf8');
  assert.match(page, /^<!doctype html>/);
  assert.match(page, /<figcaption>Power of GPU<\/figcaption>/);
});

test('formats that are not known are refused', async () => {
  const { stderr, status } = await run('explain', '7f3c', '--format', 'pdf', '--log-directory', '/nowhere');
  assert.match(stderr, /^FL3125 --format "pdf" is unknown: use text, markdown, json or html/);
  assert.equal(status, 2);
});

test('a reader that goes away ends it quietly', async (t) => {
  const directory = await logOf(t, FIRST);
  const { ran, done } = start(['explain', '7f3c', '--log-directory', directory], new BrokenPipe());
  await done;
  assert.deepEqual([ran.stderr, ran.status], ['', 0]);
});
