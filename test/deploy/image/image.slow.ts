// The image run as the chart runs it, by runc: both profiles with their mounts and rights. scripts/test-image runs it; the default tests
// do not.

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { appendFileSync, chmodSync, lstatSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'; // biome-ignore format: one line
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, type TestContext, test } from 'node:test';
import { until } from '../../until.ts';
import { golden, ofKind, podOf } from '../chart/support.ts';
import { type Image, unpackImage } from './archive.ts';
import { type Running, startContainer } from './container.ts';
import { runtimeSpec } from './runtime-spec.ts';

const archive = process.env.FAULTLINE_IMAGE ?? '';
const seccomp = process.env.FAULTLINE_SECCOMP ?? '';
const MIB = 1024 ** 2;
let folder: string;
let image: Image;

before(() => {
  folder = mkdtempSync(join(tmpdir(), 'faultline-image-'));
  image = unpackImage(archive, folder);
});
after(() => rmSync(folder, { recursive: true, force: true }));

/** Sizes of all files below, by path. */
function files(below: string, path = ''): [string, number][] {
  return readdirSync(join(below, path), { withFileTypes: true }).flatMap((entry): [string, number][] => {
    const name = join(path, entry.name);
    return entry.isDirectory() ? files(below, name) : [[name, lstatSync(join(below, name)).size]];
  });
}

test('it is small, has no shell and nothing that is set to another user', () => {
  const all = files(image.rootfs);
  const beyond = all.filter(([name]) => name !== 'opt/faultline/bin/node').reduce((sum, [, size]) => sum + size, 0);
  console.log(
    `${(beyond / MIB).toFixed(1)} MiB beyond Node, packed ${(statSync(archive).size / MIB).toFixed(1)} MiB in all`,
  );
  assert.ok(beyond < 150 * MIB);
  assert.deepEqual(all.map(([name]) => name).filter((name) => /(^|\/)s?bin\//.test(name)).sort(), ['opt/faultline/bin/node', 'usr/bin/faultline']); // biome-ignore format: one line
  for (const [name] of all) assert.equal(lstatSync(join(image.rootfs, name)).mode & 0o6022, lstatSync(join(image.rootfs, name)).isSymbolicLink() ? 0o022 : 0, name); // biome-ignore format: one line
  assert.equal(image.config.config.User, '65532:65532');
});

interface Pod {
  readonly running: Running;
  readonly state: string;
}

/** A pod of a profile, with folders of the test in place of the node's; `more`: lines of its sources; `shared`: a state that it finds. */
function start(t: TestContext, profile: string, more = '', shared?: string): Pod {
  const text = golden(profile);
  const pod = podOf(ofKind(text, 'DaemonSet')[0]);
  const at = mkdtempSync(join(folder, `${profile}-`));
  const volumes: Record<string, string> = {};
  for (const { name } of pod.volumes) {
    volumes[name] = name === 'sys' ? '/sys' : join(at, name);
    if (name === 'sys') continue;
    mkdirSync(join(at, name));
    // An emptyDir is for all to write.
    if (name === 'run' || name === 'tmp') chmodSync(join(at, name), 0o777);
  }
  if (shared !== undefined) volumes.state = shared;
  const config = ofKind(text, 'ConfigMap')[0]?.data?.['faultline.yaml'] ?? '';
  writeFileSync(
    join(volumes.config ?? '', 'faultline.yaml'),
    more === '' ? config : config.replace('sources:\n', `sources:\n${more}`),
  );
  const variables = { NODE_NAME: 'node-3', HOST_IP: '10.0.0.3' };
  return {
    running: startContainer(t, at, runtimeSpec(image, pod, { volumes, variables, seccomp })),
    state: volumes.state ?? '',
  };
}

/** A line of the kernel of this moment: an older one is history. */
const xid = () =>
  `2,1000,${process.hrtime.bigint() / 1000n},-;NVRM: Xid (PCI:0000:3b:00): 79, pid=1234, name=python, GPU has fallen off the bus.\n`;

for (const [profile, port] of [['lean', 9465], ['full', 19465], ['minimal', 9465]] as const) // biome-ignore format: one line
  test(`${profile}: the daemon starts, answers its probes, and has its first incident`, async (t) => {
    const { running, state } = start(t, profile, '  kernel_log: { path: /var/lib/faultline/kmsg }\n');
    writeFileSync(join(state, 'kmsg'), '');
    await until(() => /"msg":"started"/.test(running.output()), { what: 'a start', seen: running.output });
    for (const path of ['/healthz', '/readyz'])
      await until(() => running.get(port, path).status === 200, { what: path, seen: () => running.get(port, path) });
    assert.match(running.get(port, '/metrics').body, /faultline_/);
    const filter = readFileSync(`/proc/${running.pid()}/status`, 'utf8');
    assert.match(filter, profile === 'full' ? /^Seccomp:\t0$/m : /^Seccomp:\t2$/m);
    console.log(`${profile}: ${/^VmRSS:\s+(\d+) kB$/m.exec(filter)?.[1]} KiB of memory, without its children`);
    const beganMs = performance.now();
    appendFileSync(join(state, 'kmsg'), xid());
    await until(() => readFileSync(join(state, 'log/incidents.jsonl'), 'utf8').includes('"opened_at"'), { what: 'an incident', seen: running.output }); // biome-ignore format: one line
    console.log(
      `${profile}: the incident was in the log of the node after ${(performance.now() - beganMs).toFixed(0)} ms`,
    );
    const { status, stdout, stderr } = running.exec('incidents', '--json');
    assert.equal(status, 0, stderr);
    assert.match(stdout, /"title":"GPU fell off the bus on node-3 gpu/);
  });

test('commands run in the pod, none needs a shell, and the kernel log is read without its device', async (t) => {
  const { running } = start(t, 'lean');
  await until(() => /"msg":"started"/.test(running.output()), { what: 'a start', seen: running.output });
  for (const args of [
    ['version'],
    ['config', 'check'],
    ['config', 'print'],
    ['jobs'],
    ['inventory', 'list'],
    ['incidents'],
    ['config', 'reload'],
  ]) {
    const { status, stderr } = running.exec(...args);
    assert.equal(status, 0, `${args.join(' ')}: ${stderr}`);
  }
  const { stdout } = running.exec('doctor', '--json');
  // The device is shut: the kernel log is read by the right that lean has.
  assert.match(stdout, /by syslog\(2\), as \/dev\/kmsg is shut/);
});

test('a changed ConfigMap is taken up without a restart', async (t) => {
  const { running, state } = start(t, 'lean');
  await until(() => /"msg":"started"/.test(running.output()), { what: 'a start', seen: running.output });
  const path = join(state, '../config/faultline.yaml');
  const text = readFileSync(path, 'utf8');
  let version = 0;
  // What is written before the watch's first look is what it begins with.
  await until(
    () => {
      if (running.output().includes('"took up the configuration"')) return true;
      writeFileSync(path, `${text}  hwmon: { interval: ${3000 + (version++ % 1000)}ms }\n`);
      return false;
    },
    { what: 'a reload', seen: running.output },
  );
});

test('a second pod on the same state, and a mistake in the configuration, end with a line and change nothing', async (t) => {
  const { running, state } = start(t, 'lean');
  await until(() => /"msg":"started"/.test(running.output()), { what: 'a start', seen: running.output });
  const second = start(t, 'lean', '', state).running;
  assert.notEqual(await second.ended, 0);
  assert.match(second.output(), /^FL1201 .*\/var\/lib\/faultline/m);
  const wrong = start(t, 'lean', '  gpu: { interval: soon }\n').running;
  assert.equal(await wrong.ended, 2, wrong.output());
  assert.match(
    wrong.output(),
    /^\/etc\/faultline\/faultline\.yaml:\d+:\d+: sources\.gpu\.interval must be a duration/m,
  );
  // And while it runs: the old one stays in force.
  const path = join(state, '../config/faultline.yaml');
  const text = readFileSync(path, 'utf8');
  let version = 0;
  await until(
    () => {
      if (running.output().includes('FL1211')) return true;
      // As kubelet puts a ConfigMap in place, whole: half of the file would be a configuration too.
      writeFileSync(`${path}.new`, `${text}  gpu: { interval: soon${version++} }\n`);
      renameSync(`${path}.new`, path);
      return false;
    },
    { what: 'a refusal', seen: running.output },
  );
  assert.equal(running.get(9465, '/healthz').status, 200);
});

test('the demo runs as the image’s own user, on a read-only root', async (t) => {
  const at = mkdtempSync(join(folder, 'demo-'));
  const pod = podOf(ofKind(golden('minimal'), 'DaemonSet')[0]);
  const volumes = Object.fromEntries(pod.volumes.map(({ name }) => [name, join(at, name)]));
  for (const path of Object.values(volumes)) {
    mkdirSync(path);
    // As a runtime's own /tmp; of an emptyDir's folder, where others could put theirs in its place, the demo's log is not read.
    chmodSync(path, 0o1777);
  }
  const spec = runtimeSpec(image, pod, { volumes, variables: {}, seccomp, args: ['demo', '--json'] });
  const process = Reflect.get(spec, 'process') as { user: object; env: string[]; cwd: string };
  process.user = { uid: 65532, gid: 65532 };
  const running = startContainer(t, at, spec);
  assert.equal(await running.ended, 0, running.output());
  assert.match(running.output(), /"incidents":\s*\[\s*\{/);
});

test('another tool reads it', (t) => {
  try {
    execFileSync('skopeo', ['--version']);
  } catch {
    t.skip('skopeo is not installed');
    return;
  }
  const said = JSON.parse(execFileSync('skopeo', ['inspect', `oci-archive:${archive}`], { encoding: 'utf8' })) as { Digest: string; Layers: string[] }; // biome-ignore format: one line
  assert.deepEqual([said.Digest, said.Layers.length], [image.digest, 3]);
});
