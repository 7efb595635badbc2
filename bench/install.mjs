// From nothing to the first sample: a release as tarball, .deb and image, unpacked or installed in an empty Debian 12 and started there.
// Run as root: node bench/install.mjs RELEASE_FOLDER DEBIAN_TREE.tar   (scripts/release makes the one, scripts/check-release --prepare
// the other as .tools/debian-12.tar)

import { execFileSync, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { unpackImage } from '../test/deploy/image/archive.ts';

const [release, debian] = process.argv.slice(2);
if (release === undefined || debian === undefined)
  throw new Error('usage: node bench/install.mjs RELEASE_FOLDER DEBIAN_TREE.tar');
const MIB = 1024 ** 2;
const SAMPLE = /^faultline_host_memory_available_bytes\S* \d/m;
const SETTLED_MS = 10_000;
const published = readdirSync(release);
const fileOf = (end) => join(release, published.find((name) => name.endsWith(end)) ?? `no file *${end}`);

async function freePort() {
  const server = createServer();
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address();
  await new Promise((resolve) => server.close(resolve));
  return port;
}

/** A command in the tree, with its own /proc and /dev; the mounts go with it. */
const IN_TREE = `tree=$1; shift
mount --make-rprivate / && mkdir -p "$tree/proc" "$tree/dev" && mount -t proc proc "$tree/proc" && mount -t tmpfs tmpfs "$tree/dev" || exit 125
for device in null zero full random urandom; do : >"$tree/dev/$device" && mount --bind "/dev/$device" "$tree/dev/$device"; done
exec chroot "$tree" "$@"`;
const inTree = (tree, command) => ['unshare', ['--mount', '--pid', '--ipc', '--uts', '--fork', '--kill-child', 'sh', '-c', IN_TREE, 'sh', tree, ...command]]; // biome-ignore format: one line

const FORMS = [
  {
    name: 'tarball, as it is unpacked',
    file: fileOf('-linux-x64.tar.gz'),
    tree: true,
    install: (tree, file) => execFileSync('tar', ['-xzf', file, '-C', join(tree, 'opt')]),
    command: (_, file) => [`/opt/${basename(file, '.tar.gz')}/bin/faultline`],
    below: (tree, file) => join(tree, 'opt', basename(file, '.tar.gz')),
  },
  {
    name: '.deb, by dpkg',
    file: fileOf('.deb'),
    tree: true,
    install: (tree) => execFileSync(...inTree(tree, ['dpkg', '--install', '/tmp/package.deb']), { stdio: 'ignore' }),
    prepare: (tree, file) => execFileSync('cp', [file, join(tree, 'tmp/package.deb')]),
    command: () => ['/usr/bin/faultline'],
    below: (tree) => join(tree, 'usr/lib/faultline'),
  },
  {
    name: 'image, its layers checked and unpacked',
    file: fileOf('.oci.tar'),
    tree: false,
    install: (tree, file) => unpackImage(file, tree),
    root: (tree) => join(tree, 'rootfs'),
    command: () => ['/usr/bin/faultline'],
    below: (tree) => join(tree, 'rootfs'),
  },
];

function size(path) {
  return Number(execFileSync('du', ['-sb', path], { encoding: 'utf8' }).split('\t')[0]);
}

/** Of all processes below it. */
function rssBelow(pid) {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ').filter(Boolean); // biome-ignore format: short
  const rss = /^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0;
  const name = /^Name:\s+(\S+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
  return (name === 'unshare' ? 0 : Number(rss) * 1024) + children.reduce((sum, child) => sum + rssBelow(child), 0);
}

/** Seconds of processor time of all processes below it, the ended ones that were waited for included. */
function cpuBelow(pid) {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ').filter(Boolean); // biome-ignore format: short
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1].split(' ');
  const ticks = fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0);
  return ticks / 100 + children.reduce((sum, child) => sum + cpuBelow(child), 0);
}

async function measure(form) {
  const tree = mkdtempSync(join(tmpdir(), 'faultline-install-'));
  let child = null;
  try {
    if (form.tree) execFileSync('tar', ['-xf', debian, '-C', tree, '--exclude=./dev/*']);
    form.prepare?.(tree, form.file);
    const began = performance.now();
    form.install(tree, form.file);
    const installed = performance.now();
    const root = form.root?.(tree) ?? tree;
    const port = await freePort();
    const folders = '{state: /tmp/state, log: /tmp/log, runtime: /tmp/run}';
    mkdirSync(join(root, 'tmp'), { recursive: true });
    writeFileSync(join(root, 'tmp/bench.yaml'), `directories: ${folders}\nprometheus: {listen: "127.0.0.1:${port}"}\n`, { mode: 0o600 }); // biome-ignore format: one line
    child = spawn(...inTree(root, [...form.command(tree, form.file), 'run', '--config', '/tmp/bench.yaml']), {
      stdio: 'ignore',
    });
    const url = `http://127.0.0.1:${port}/metrics`;
    const text = () => fetch(url).then((answer) => answer.text(), () => ''); // biome-ignore format: short
    for (const end = performance.now() + 120_000; !SAMPLE.test(await text()); await sleep(10)) {
      if (performance.now() > end || child.exitCode !== null) throw new Error(`${form.name}: no sample came`);
    }
    const [sampled, cpu] = [performance.now(), cpuBelow(child.pid)];
    await sleep(SETTLED_MS);
    return {
      form: form.name,
      packed: statSync(form.file).size / MIB,
      unpacked: size(form.below(tree, form.file)) / MIB,
      install: (installed - began) / 1000,
      start: (sampled - installed) / 1000,
      cpu,
      rss: rssBelow(child.pid) / MIB,
    };
  } finally {
    if (child !== null && child.exitCode === null) {
      const ended = new Promise((resolve) => child.once('exit', resolve));
      child.kill('SIGKILL');
      await ended;
    }
    rmSync(tree, { recursive: true, force: true });
  }
}

console.log(
  '| form | packed MiB | unpacked MiB | install s | start to first sample s | of it CPU s | RSS after 10 s MiB |',
);
console.log('|---|---|---|---|---|---|---|');
for (const form of FORMS) {
  const { packed, unpacked, install, start, cpu, rss } = await measure(form);
  const cells = [
    form.name,
    packed.toFixed(0),
    unpacked.toFixed(0),
    install.toFixed(1),
    start.toFixed(1),
    cpu.toFixed(1),
    rss.toFixed(0),
  ];
  console.log(`| ${cells.join(' | ')} |`);
}
