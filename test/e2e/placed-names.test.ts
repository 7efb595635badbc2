// Whoever the folders belong to may put links, FIFOs and folders where the daemon and root's commands write: nothing beyond is touched.

import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import {
  appendFileSync,
  chmodSync,
  chownSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { PROGRAM } from '../program.ts';

/** The service's user; who is not a root is it himself. */
const asRoot = process.geteuid?.() === 0;
const SERVICE = asRoot ? 65_534 : (process.geteuid?.() ?? 0);
const XID = 'NVRM: Xid (PCI:0000:9b:00): 79, pid=1, name=python, GPU has fallen off the bus.';
const LIMIT_MS = 120_000;

const base = mkdtempSync(join(tmpdir(), 'fl-placed-'));
chmodSync(base, 0o755);
after(() => rmSync(base, { recursive: true, force: true }));
const FOLDERS = ['state', 'log', 'run'].map((name) => join(base, name));
const victims = join(base, 'victims');
const config = join(base, 'faultline.yaml');
const kmsg = join(base, 'kmsg');

function own(path: string): void {
  if (asRoot) chownSync(path, SERVICE, SERVICE);
}

/** Empty, and the service's. */
function freshFolders(): void {
  for (const folder of FOLDERS) {
    rmSync(folder, { recursive: true, force: true });
    mkdirSync(folder, { mode: 0o750 });
    own(folder);
  }
}

function entries(): string[] {
  return FOLDERS.flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((name) => join(folder, name)),
  );
}

interface Ended {
  readonly status: number | null;
  readonly text: string;
}

/** `until`: it is asked to stop as soon as this is so. */
async function faultline(words: readonly string[], until?: () => boolean): Promise<Ended> {
  const child = spawn(process.execPath, [PROGRAM, ...words, '--config', config], { stdio: ['ignore', 'pipe', 'pipe'] });
  let text = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (part: string) => (text += part));
  const late = setTimeout(() => child.kill('SIGKILL'), LIMIT_MS);
  const closed = new Promise<number | null>((resolve) => child.once('close', resolve));
  if (until !== undefined) {
    while (child.exitCode === null && child.signalCode === null && !until()) await sleep(20);
    child.kill('SIGTERM');
  }
  const status = await closed;
  clearTimeout(late);
  assert.equal(child.signalCode, null, `${words.join(' ')} hung: ${text}`);
  return { status, text };
}

function incidentIds(): string[] {
  try {
    const text = readFileSync(join(base, 'log', 'incidents.jsonl'), 'utf8');
    return [...text.matchAll(/"faultline\/incident\/1".*?"id":"([0-9a-f]+)"/g)].map((match) => match[1] ?? '');
  } catch {
    return [];
  }
}

let id = '';
let names: string[] = [];

before(async () => {
  writeFileSync(
    config,
    `host: node-3
directories: {state: "${base}/state", log: "${base}/log", runtime: "${base}/run"}
roots: {sys: "${base}/sys"}
sources:
  gpu: {enabled: off}
  flight_recorder: {enabled: off}
  kubernetes: {enabled: off}
  kernel_log: {path: "${kmsg}"}
otlp: {endpoint: "http://127.0.0.1:9", traces: {}}
`,
  );
  writeFileSync(kmsg, '');
  mkdirSync(victims);
  freshFolders();
  let reported = false;
  const { status, text } = await faultline(['run'], () => {
    if (!reported && readdirSync(join(base, 'run')).length > 0) {
      reported = true;
      setTimeout(
        () => appendFileSync(kmsg, `3,1,${Math.round(Number(process.hrtime.bigint()) / 1000)},-;${XID}\n`),
        300,
      );
    }
    return incidentIds().length > 0;
  });
  assert.equal(status, 0, text);
  id = incidentIds()[0] ?? '';
  assert.notEqual(id, '', text);
  names = entries();
});

test('what root starts and says in the folders of the service belongs to the service', async () => {
  assert.ok(
    names.some((name) => name.endsWith('instance.lock')) && names.some((name) => name.endsWith('.spool')),
    names.join(),
  );
  const acked = await faultline(['ack', id, '--by', 'anna']);
  assert.equal(acked.status, 0, acked.text);
  // As an earlier release left them.
  if (asRoot) for (const path of names) chownSync(path, 0, 0);
  const out = join(base, 'recording');
  const { status, text } = await faultline(['record', '--out', out, '--for', '300ms']);
  assert.equal(status, 0, text);
  for (const path of entries()) assert.equal(lstatSync(path).uid, SERVICE, path);
  assert.equal(lstatSync(out).uid, process.geteuid?.(), 'the recording is of whoever asked for it');
  assert.match(readFileSync(out, 'utf8'), /^\{"schema":"faultline\/recording\/1"/);
});

/** Every name that was written, and those of files that are there for a moment or in trouble only. */
function placedNames(): string[] {
  const files = names.filter((name) => !/\/(?:spool|otlp|metrics|logs|traces)$|instance\.lock$/.test(name));
  const passing = ['instance.pid', 'boot.json.new', 'spool/otlp/reported.new'].map((name) => join(base, 'state', name));
  const log = join(base, 'log');
  return [
    ...new Set([
      ...files,
      ...passing,
      join(log, `${id}.samples.csv.new`),
      join(log, 'incidents.jsonl.torn-1'),
      join(log, 'incidents.jsonl.1'),
      join(log, 'incidents-20261128T090000000Z.jsonl'),
    ]),
  ];
}

const PLACED: Readonly<Record<string, (name: string, victim: string) => void>> = {
  'a link to a file': (name, victim) => {
    writeFileSync(victim, 'victim\n');
    symlinkSync(victim, name);
  },
  'a link to what is not there': (name, victim) => symlinkSync(victim, name),
  'a FIFO': (name) => execFileSync('mkfifo', [name]),
  'a folder': (name) => mkdirSync(name),
};

/** What root runs in one of the rounds; each round also has the two that write most, `record` and `ack`. */
const COMMANDS: readonly (readonly string[])[] = [
  ['verdict'],
  ['maintenance', 'start'],
  ['release-devices'],
  ['doctor'],
  ['incidents'],
  ['explain'],
];

// Neighbours have different things in their places, and in four rounds each name has each: a start costs more than a name.
const kinds = Object.entries(PLACED);
for (const round of kinds.keys()) {
  const commands = COMMANDS.filter((_, index) => index % kinds.length === round);
  const what = commands.map((words) => words.join(' ')).join(', ');
  test(`links, FIFOs and folders under every name that is written lead record, ack, ${what} nowhere and hold nothing up`, async () => {
    rmSync(victims, { recursive: true });
    mkdirSync(victims);
    freshFolders();
    for (const [index, name] of placedNames().entries()) {
      mkdirSync(dirname(name), { recursive: true });
      kinds[(index + round) % kinds.length]?.[1](name, join(victims, String(index)));
    }
    if (asRoot) execFileSync('chown', ['-hR', `${SERVICE}:${SERVICE}`, ...FOLDERS]);
    const before = readdirSync(victims).length;
    assert.ok(before > 0);
    const record = ['record', '--out', join(base, `out ${round}`), '--for', '300ms'];
    const reported = ([command = '', ...rest]: readonly string[]): readonly string[] => {
      if (command === 'verdict') return [command, id, 'right'];
      return command === 'explain' ? [command, id] : [command, ...rest];
    };
    for (const words of [record, ['ack', id], ...commands.map(reported)]) {
      const { text } = await faultline(words);
      assert.doesNotMatch(text, /FL1000|unexpected/, words.join(' '));
    }
    assert.equal(readdirSync(victims).length, before, 'nothing was made');
    for (const victim of readdirSync(victims)) {
      assert.equal(readFileSync(join(victims, victim), 'utf8'), 'victim\n', placedNames()[Number(victim)]);
      assert.equal(lstatSync(join(victims, victim)).uid, process.geteuid?.());
    }
  });
}

test('a folder of the service that is a link is not used by root', {
  skip: asRoot ? false : 'needs another user',
}, async () => {
  freshFolders();
  mkdirSync(join(base, 'roots'), { recursive: true });
  rmSync(join(base, 'log'), { recursive: true });
  symlinkSync(join(base, 'roots'), join(base, 'state', 'log'));
  const linked = readFileSync(config, 'utf8').replace(`log: "${base}/log"`, `log: "${base}/state/log"`);
  writeFileSync(config, linked);
  const { status, text } = await faultline(['run'], () => readdirSync(join(base, 'roots')).length > 0);
  assert.equal(status, 1);
  assert.match(
    text,
    /FL1206 root does not write into .*state\/log is a symbolic link, in a path that uid 65534 may write/,
  );
  assert.deepEqual(readdirSync(join(base, 'roots')), []);
});
