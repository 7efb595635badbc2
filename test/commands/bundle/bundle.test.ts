import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { test } from 'node:test';
import { type BundleOptions, makeBundle } from '../../../src/commands/bundle/make-bundle.ts';
import type { WriteAll } from '../../../src/commands/bundle/write-new.ts';
import { loadNotes } from '../../../src/incidents/log/load-notes.ts';
import { incident, T0 } from '../../incidents/sample.ts';
import { logOf, run } from '../incident-command.ts';
import { hostOf, opened, temporary } from './opened.ts';

const SECRETS = [
  'hunter2hunter2',
  'quiteunusualsigningkey',
  'very-secret-path',
  'hush-hush-hush',
  'bearerbearerbearer',
  's3cr3tpw',
];
const LINES = [
  'NVRM: Xid (PCI:0000:1b:00): 79, pid=4242, name=train.py, GPU has fallen off the bus.',
  'app: DB_PASSWORD=hunter2hunter2 /home/alice/train.py on node-4.cluster.example',
  'app: sends quiteunusualsigningkey in the clear',
];
const FAULT = incident('7f3c41d2a0b1', {
  host: 'node-3',
  evidence: [
    {
      source: 'job-log',
      timeMs: T0,
      text: 'curl -H "Authorization: Bearer bearerbearerbearer" https://bob:s3cr3tpw@registry/x',
    },
  ],
});

function ioOf() {
  const said = { out: '', err: '', status: 0 };
  const into = (key: 'out' | 'err') =>
    new Writable({
      write(chunk, _encoding, done) {
        said[key] += String(chunk);
        done();
      },
    });
  return {
    said,
    io: {
      stdout: into('out'),
      stderr: into('err'),
      now: () => T0 + 107_000,
      timeZone: 'UTC',
      colour: false,
      status: (status: number) => {
        said.status = status;
      },
      signal: () => new AbortController().signal,
    },
  };
}

test('the whole of it on its own host: every part, no secret anywhere, hashes that hold, a note on the incident', async (t) => {
  const logDirectory = await logOf(t, FAULT);
  const host = hostOf(t, LINES);
  const csv = 'time,component,quantity,value\n2026-11-27T14:31:59.000Z,gpu/0000:1b:00.0,power,412\n';
  writeFileSync(join(logDirectory, `${FAULT.id}.samples.csv`), csv);
  const out = join(temporary(t), 'case-4711.tar.gz');
  const { io, said } = ioOf();
  const options: BundleOptions = { config: host.config, logDirectory, out, nvidiaBugReport: true, by: 'carol' };
  await makeBundle('7f3c', options, io, { paths: host.paths, hostname: 'node-3' });
  const { folder, files, all } = opened(t, out);
  assert.match(folder, /^faultline-bundle-7f3c41-20261127T143347Z$/);
  const names =
    'configuration.json incident.html incident.json inventory.json kernel.log manifest.json nvidia-bug-report.log samples.csv versions.json';
  assert.deepEqual([...files.keys()].sort(), names.split(' '));
  for (const secret of SECRETS) assert.ok(!all.includes(secret), secret);
  const manifest = JSON.parse(files.get('manifest.json') ?? '');
  assert.deepEqual(
    [manifest.schema, manifest.incident_id, manifest.host, manifest.anonymous],
    ['faultline/bundle/1', FAULT.id, 'node-3', false],
  );
  assert.ok(manifest.secrets_removed >= SECRETS.length, said.out);
  for (const { path, bytes, sha256 } of manifest.files) {
    const text = files.get(path) ?? '';
    assert.deepEqual([Buffer.byteLength(text), createHash('sha256').update(text).digest('hex')], [bytes, sha256], path);
  }
  assert.match(files.get('kernel.log') ?? '', /--since=@\d+ --until=@\d+[\s\S]*Xid \(PCI:0000:1b:00\): 79/);
  assert.equal(files.get('samples.csv'), csv);
  assert.match(files.get('versions.json') ?? '', /550\.54\.15/);
  assert.match(files.get('inventory.json') ?? '', /GPU-0aaa/);
  assert.match(files.get('nvidia-bug-report.log') ?? '', /WANDB_API_KEY=\(redacted\)/);
  const sum = createHash('sha256').update(readFileSync(out)).digest('hex');
  assert.ok(said.out.includes(sum));
  assert.equal(statSync(out).mode & 0o777, 0o600);
  const [note] = await loadNotes(logDirectory);
  assert.ok(note?.kind === 'bundle');
  assert.deepEqual(
    [note.incidentId, note.by, note.file, note.sha256, note.error],
    [FAULT.id, 'carol', 'case-4711.tar.gz', sum, null],
  );
  const { stdout } = await run('explain', '7f3c', '--log-directory', logDirectory);
  assert.match(stdout, /Bundle\s+case-4711\.tar\.gz, sha256/);
});

test('--anonymous: users, hosts and their addresses are numbers, the same ones throughout', async (t) => {
  const whose = [
    {
      job: '77',
      aliases: [],
      manager: 'slurm',
      name: 'alices-run',
      user: 'alice',
      account: null,
      queue: null,
      attempt: null,
      pods: [],
      ranks: [],
      by: 'job' as const,
    },
  ];
  const logDirectory = await logOf(t, { ...FAULT, whose });
  const host = hostOf(t, [...LINES, 'mce: reported by dave@cluster.example from 10.11.12.13']);
  const out = temporary(t);
  const { io } = ioOf();
  await makeBundle('7f3c', { config: host.config, logDirectory, out, anonymous: true, note: false }, io, {
    paths: host.paths,
    hostname: 'node-3',
  });
  const { all, files } = opened(t, join(out, readdirSync(out)[0] ?? ''));
  for (const name of [/node-3/i, /node-4/i, /\balice\b/i, /\bdave\b/, /10\.11\.12\.13/, /cluster\.example/])
    assert.doesNotMatch(all, name);
  assert.equal(JSON.parse(files.get('incident.json') ?? '').host, 'host-1');
  assert.match(files.get('kernel.log') ?? '', /host-1 kernel: .*\/home\/user-\d+\/train\.py on host-2/);
  assert.equal((await loadNotes(logDirectory)).length, 0);
});

test('from a log that was copied elsewhere: what is of this host is left out, and why is said', async (t) => {
  const logDirectory = await logOf(t, FAULT);
  const out = temporary(t);
  const { stdout, stderr, status } = await run(
    'bundle',
    '7f3c',
    '--log-directory',
    logDirectory,
    '--out',
    out,
    '--json',
  );
  const manifest = JSON.parse(stdout);
  assert.deepEqual([stderr, status], ['', 0]);
  const left = new Map(manifest.left_out.map(({ what, why }: { what: string; why: string }) => [what, why]));
  assert.match(String(left.get('kernel.log')), /the incident is of host node-3, and this is /);
  assert.deepEqual(
    [...left.keys()],
    ['samples.csv', 'kernel.log', 'inventory.json', 'configuration.json', 'nvidia-bug-report.log'],
  );
  assert.ok(existsSync(manifest.file));
});

test('nothing is written over, and no link is followed', async (t) => {
  const logDirectory = await logOf(t, FAULT);
  const folder = temporary(t);
  const out = join(folder, 'a.tar.gz');
  const args = ['bundle', '7f3c', '--log-directory', logDirectory, '--no-note'];
  for (const make of [() => writeFileSync(out, ''), () => symlinkSync(join(folder, 'elsewhere'), join(folder, 'link'))])
    make();
  for (const path of [out, join(folder, 'link')]) {
    const { stdout, stderr, status } = await run(...args, '--out', path);
    assert.deepEqual([stdout, status], ['', 1]);
    assert.match(stderr, /^FL3133 .* exists, and nothing is written over/);
  }
  assert.deepEqual(readdirSync(folder).sort(), ['a.tar.gz', 'link']);
  assert.equal(readFileSync(out, 'utf8'), '');
  const nowhere = await run(...args, '--out', join(folder, 'no', 'such.tar.gz'));
  assert.match(nowhere.stderr, /^FL3132 .*\(ENOENT\): the folder does not exist/);
});

test('a full disk is one clear line, leaves nothing half, and is noted', async (t) => {
  const logDirectory = await logOf(t, FAULT);
  const out = temporary(t);
  const writeAll: WriteAll = async (file, bytes) => {
    await file.write(bytes.subarray(0, 100));
    throw Object.assign(new Error('write'), { code: 'ENOSPC' });
  };
  const { io } = ioOf();
  const host = hostOf(t, LINES);
  const made = makeBundle('7f3c', { logDirectory, out, by: 'carol' }, io, {
    paths: host.paths,
    hostname: 'other',
    writeAll,
  });
  await assert.rejects(made, /FL3132 the bundle .* \(ENOSPC\): the disk is full: free space there/);
  assert.deepEqual(readdirSync(out), []);
  const [note] = await loadNotes(logDirectory);
  assert.ok(note?.kind === 'bundle' && note.sha256 === null && note.error?.includes('ENOSPC'));
});

test('a file that appears meanwhile stays as it is', async (t) => {
  const logDirectory = await logOf(t, FAULT);
  const out = temporary(t);
  const target = join(out, 'x.tar.gz');
  const writeAll: WriteAll = async (file, bytes) => {
    await file.writeFile(bytes);
    mkdirSync(out, { recursive: true });
    writeFileSync(target, 'mine');
  };
  const { io } = ioOf();
  const host = hostOf(t, LINES);
  const made = makeBundle('7f3c', { logDirectory, out: target, note: false }, io, {
    paths: host.paths,
    hostname: 'other',
    writeAll,
  });
  await assert.rejects(made, /FL3133/);
  assert.deepEqual([readdirSync(out), readFileSync(target, 'utf8')], [['x.tar.gz'], 'mine']);
});
