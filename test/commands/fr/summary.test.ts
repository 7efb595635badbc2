// Dumps that lie on different hosts: what each host tells of its own, brought to one place by hand or by a collector.

import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import type { FlightRecorderDocument } from '../../../src/model/documents/flight-recorder.ts';
import { namedSummary } from '../../../src/sources/flight-recorder/dumps/named-summary.ts';
import { writeCase } from '../../native-fr/accuracy.ts';
import { makeCase } from '../../native-fr/generator/cases.ts';
import { CollectorUnderTest, collectorMissing } from '../../otlp-collector/collector-under-test.ts';
import { otlpConfig, reports, startSink, stateDirectory, until } from '../../sinks/otlp/harness.ts';
import { faultline, folder } from '../run-cli.ts';

const PER_HOST = 4;

/** A job of 16 ranks on four hosts: of each host the folder of its dumps. */
function hosts(kind: 'cascade' | 'mismatch_dtype', seed: number): { culprits: readonly number[]; folders: string[] } {
  const made = makeCase(kind, seed);
  const folders = [0, 1, 2, 3].map(() => folder());
  for (const file of made.files) {
    const at = folders[Math.floor(Number(file.name.match(/\d+$/)?.[0]) / PER_HOST)];
    assert.ok(at !== undefined, file.name);
    writeCase({ ...made, files: [file] }, at);
  }
  return { culprits: made.culprits, folders };
}

async function summaryOf(dumps: string, ...more: string[]): Promise<string> {
  const { status, stdout, stderr } = await faultline(['fr', '--summary', ...more, dumps]);
  assert.deepEqual([status, stderr], [0, '']);
  assert.equal(stdout.split('\n').length, 2, 'one line');
  return stdout;
}

async function verdict(...words: string[]): Promise<{ document: FlightRecorderDocument; stderr: string }> {
  const { stdout, stderr } = await faultline(['fr', '--json', ...words]);
  return { document: JSON.parse(stdout), stderr };
}

const ranks = ({ culprits }: FlightRecorderDocument) => culprits.map(({ rank }) => rank);

test('lines that hosts printed are joined from one file, together with dumps, and the host of the rank is named', async () => {
  const { culprits, folders } = hosts('cascade', 1);
  const lines = await Promise.all(folders.slice(1).map((each) => summaryOf(each)));
  const file = join(folder(), 'job.jsonl');
  writeFileSync(file, lines.join(''));
  const { document, stderr } = await verdict(file, folders[0] ?? '');
  assert.deepEqual([ranks(document), document.verdicts[0]?.type, stderr], [culprits, 'not_joined', '']);
  assert.deepEqual(document.job.missing_ranks, []);
  const named = await faultline(['fr', file, folders[0] ?? '']);
  if ((culprits[0] ?? 0) >= PER_HOST) assert.match(named.stdout, /^Who +Rank \d+ on \S+ did not enter/m);
});

describe('summaries of more than one job in one file', () => {
  const file = join(folder(), 'all.jsonl');
  let wanted: { first: readonly number[]; second: readonly number[] };

  test('the newest is analysed, and it is said', async () => {
    const [first, second] = [hosts('cascade', 1), hosts('mismatch_dtype', 2)];
    wanted = { first: first.culprits, second: second.culprits };
    const lines: string[] = [];
    for (const dumps of first.folders) lines.push(await summaryOf(dumps, '--job', 'llama'));
    for (const dumps of second.folders) lines.push(later(await summaryOf(dumps, '--job', 'mixtral'), 60));
    writeFileSync(file, lines.join(''));
    const { document, stderr } = await verdict(file);
    assert.deepEqual(ranks(document), wanted.second);
    assert.match(stderr, /^FL2417 .*job mixtral, the newest, is analysed, not llama; --job NAME takes another$/m);
  });

  test('--job takes another', async () => {
    const { document, stderr } = await verdict(file, '--job', 'llama');
    assert.deepEqual(ranks(document), wanted.first);
    assert.equal(stderr.includes('the newest'), false);
    assert.match((await verdict(file, '--job', 'gone')).stderr, /^FL2417 no summary is of job gone/m);
  });
});

test('what a rank reported of an earlier stall does not count, and it is said when it reported nothing later', async () => {
  const { folders, culprits } = hosts('cascade', 1);
  const lines = await Promise.all(folders.map((each) => summaryOf(each, '--job', 'llama')));
  const file = join(folder(), 'job.jsonl');
  const again = lines.map((line) => later(line, 3600));
  writeFileSync(file, [...lines, ...again].join(''));
  const { document, stderr } = await verdict(file);
  assert.deepEqual([ranks(document), document.job.dumps.length, stderr], [culprits, 16, '']);
  writeFileSync(file, [...lines, ...again.slice(1)].join(''));
  const second = await verdict(file);
  assert.match(second.stderr, /^FL2418 4 ranks have no summary/m);
  assert.deepEqual(second.document.job.missing_ranks, [0, 1, 2, 3]);
});

test('one host whose clock is ahead takes no other host out of the job', async () => {
  const { folders, culprits } = hosts('cascade', 1);
  const lines = await Promise.all(folders.map((each) => summaryOf(each, '--job', 'llama')));
  const file = join(folder(), 'job.jsonl');
  const ahead = later(lines[1] ?? '', 90 * 60);
  writeFileSync(file, [lines[0], ahead, ...lines.slice(2)].join(''));
  const { document, stderr } = await verdict(file);
  assert.deepEqual([ranks(document), document.job.dumps.length, document.job.missing_ranks], [culprits, 16, []]);
  assert.match(stderr, /^FL2418 4 ranks have a summary that is more than 15 minutes newer/m);
});

test('a line that is damaged is reported with file and byte, and the others count', async () => {
  const { folders } = hosts('cascade', 1);
  const lines = await Promise.all(folders.map((each) => summaryOf(each)));
  const file = join(folder(), 'job.jsonl');
  const broken = [
    `${lines[0]?.slice(0, 300)}\n`,
    '{"schema":"faultline/fr-summary/1","summary":[[],[],[],[]]}\n',
    '{"schema":"faultline/fr-summary/1" 7}\n',
  ];
  writeFileSync(file, [...lines.slice(1), ...broken].join(''));
  const { document } = await verdict(file);
  const refused = document.job.dumps.flatMap(({ rejected }) => (rejected === undefined ? [] : [rejected]));
  const first = lines.slice(1).join('').length;
  assert.deepEqual(
    refused.map(({ offset }) => offset).sort((a, b) => a - b),
    [first, first + 301, first + 301 + 60],
  );
  assert.deepEqual(document.job.missing_ranks, [0, 1, 2, 3]);
  const text = await faultline(['fr', file]);
  assert.match(
    text.stdout.replaceAll(/\s+/g, ' '),
    new RegExp(`job.jsonl: a summary that was cut off \\(at byte ${first}\\)`),
  );
});

test('groups that a few bytes make huge are not taken', async () => {
  const file = join(folder(), 'job.jsonl');
  const lists = Array.from({ length: 1500 }, (_, index) => `"0-${990_000 + index}"`).join(',');
  const rank = '[0,"h","2.10",0,1,1,1,0,1,1,[["0","",1400,0,3,5,4,5,4,0,0,0]],[]]';
  writeFileSync(file, `{"schema":"faultline/fr-summary/1","summary":[[${rank}],[],[${lists}],[]]}\n`);
  const { document } = await verdict(file);
  assert.deepEqual([document.job.dumps.length, document.job.world_size], [1, 1]);
});

test('more dumps than a host has ranks are not summarised', async () => {
  const { folders } = hosts('cascade', 1);
  const many = folder();
  const [first = ''] = folders;
  for (let copy = 0; copy < 70; copy += 1) {
    mkdirSync(join(many, `rank_${copy}`));
    writeFileSync(join(many, `rank_${copy}`, 'dump.json'), `{"version":"2.10","pg_status":{},"entries":[]}`);
  }
  const { status, stderr } = await faultline(['fr', '--summary', many, first]);
  assert.equal(status, 1);
  assert.match(stderr, /^FL2419 /m);
});

describe('through a real collector', { skip: collectorMissing() }, () => {
  const closing: { close(): Promise<void> }[] = [];
  after(async () => {
    for (const each of closing) await each.close();
  });

  test('what daemons send it writes to a file, and fr gives the verdict on the whole job from that', async () => {
    const { culprits, folders } = hosts('cascade', 1);
    const collector = await CollectorUnderTest.started();
    closing.push(collector);
    const port = Number(new URL(collector.grpc).port);
    for (const [host, dumps] of folders.entries()) {
      const sink = await startSink(otlpConfig(port), stateDirectory(), reports().logger, { host: `node-${host}` });
      const summary = await summaryOf(dumps);
      const bare = summary.trim().replace(/"host":"[^"]*",/, '');
      sink.summary('llama', namedSummary(bare, { job: 'llama', host: `node-${host}` }), Date.now());
      await until(
        () => collector.records().length > host,
        () => collector.records(),
      );
      await sink.stop();
    }
    assert.deepEqual(
      [...new Set(collector.records().map(({ eventName }) => eventName))],
      ['faultline.flight_recorder.summary'],
    );
    const [file = ''] = collector.files('logs');
    assert.match(readFileSync(file, 'utf8'), /^\{"resourceLogs"/);
    const { document, stderr } = await verdict(file);
    assert.deepEqual([ranks(document), document.verdicts[0]?.type, stderr], [culprits, 'not_joined', '']);
    const [culprit = 0] = culprits;
    const of = document.job.dumps.find(({ rank }) => rank === culprit);
    assert.equal(of?.host, `node-${Math.floor(culprit / PER_HOST)}`);
  });
});

/** The same summary of dumps that were written so many seconds later. */
function later(line: string, seconds: number): string {
  const summary = JSON.parse(line.replaceAll(/(\d{17,})/g, '"$1"'));
  const [all] = summary.summary;
  for (const rank of all) {
    for (const at of [5, 6, 8, 9])
      if (BigInt(rank[at]) > 0n) rank[at] = String(BigInt(rank[at]) + BigInt(seconds) * 1_000_000_000n);
  }
  return `${JSON.stringify(summary).replaceAll(/"(\d{17,})"/g, '$1')}\n`;
}
