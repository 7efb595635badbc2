// Which hosts logs are of: those that lines name, and stand-ins where none does.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hostInForm, hostInPath, hostOfPath } from '../../../src/commands/scan/host-in-path.ts';
import { asOf, hostsOf } from '../../../src/commands/scan/host-names.ts';

const unnamed = (labels: Readonly<Record<string, boolean>>) =>
  new Map(Object.entries(labels).map(([label, kernel]) => [label, { kernel, path: `/logs/${label}` }]));

test('a log without a host is of the only one that is named', () => {
  assert.deepEqual(hostsOf(new Set(['node-1']), unnamed({ job: false, dmesg: true })), [
    { name: 'node-1', foundAs: ['node-1', 'job', 'dmesg'], isCalledAfterLog: false },
  ]);
});

test('one kernel log and the logs of jobs next to it are of one host', () => {
  assert.deepEqual(hostsOf(new Set(), unnamed({ job: false, dmesg: true })), [
    { name: 'dmesg', foundAs: ['job', 'dmesg'], isCalledAfterLog: true },
  ]);
});

test('several kernel logs are of several hosts, and none is guessed', () => {
  const names = (named: string[], labels: Record<string, boolean>) =>
    hostsOf(new Set(named), unnamed(labels)).map(({ name }) => name);
  assert.deepEqual(names([], { a: true, b: true, job: false }), ['a', 'b', 'job']);
  assert.deepEqual(names(['node-1', 'node-2'], { job: false }), ['node-1', 'node-2', 'job']);
});

test("a job's log is of the host that its lines say, where no other is nearer, and names the kernel log next to it", () => {
  const job = { kernel: false, path: '/logs/job', says: 'node-2' };
  const alone = hostsOf(new Set(), new Map([['log:job', job]]));
  assert.deepEqual(alone, [{ name: 'node-2', foundAs: ['log:job'], isCalledAfterLog: false }]);
  const among = hostsOf(new Set(['node-1', 'node-2.dc1']), new Map([['log:job', job]]));
  assert.deepEqual(among[1], { name: 'node-2.dc1', foundAs: ['node-2.dc1', 'log:job'], isCalledAfterLog: false });
  const only = hostsOf(new Set(['node-1']), new Map([['log:job', job]]));
  assert.deepEqual(
    only.map(({ name }) => name),
    ['node-1', 'node-2'],
  );
  const kernel = { kernel: true, path: '/logs/dmesg' };
  const nextTo = hostsOf(new Set(), new Map([['log:job', job], ['log:dmesg', kernel]])); // biome-ignore format: one line
  const foundAs = ['log:job', 'log:dmesg'];
  assert.deepEqual(nextTo, [{ name: 'node-2', foundAs, isCalledAfterLog: false, saidOf: ['/logs/dmesg'] }]);
});

test('the log of a job on several hosts is of the one whose ranks it waited for, else of the only one that reports', () => {
  const job = { kernel: false, path: '/logs/job', says: 'gx-1', ranOn: ['gx-1', 'gx-2', 'gx-3'] };
  const named = new Set(['gx-1', 'gx-2', 'gx-3']);
  const of = (more: object, eventful: readonly string[]) =>
    hostsOf(named, new Map([['log:job', { ...job, ...more }]]), new Map(), new Set(eventful))
      .filter(({ foundAs }) => foundAs.includes('log:job'))
      .map(({ name }) => name);
  assert.deepEqual(of({ waitedFor: 'gx-3' }, ['gx-2']), ['gx-3']);
  assert.deepEqual(of({ waitedFor: 'gx-9' }, []), ['gx-1']);
  assert.deepEqual(of({}, ['gx-2']), ['gx-2']);
  assert.deepEqual(of({}, ['gx-2', 'gx-3']), ['gx-1']);
  assert.deepEqual(of({}, ['gx-1', 'gx-2']), ['gx-1']);
});

test('a folder that is not called like a host is none', () => {
  const logs = new Map([
    ['log:dmesg', { kernel: true, path: '/logs/before/dmesg' }],
    ['log:node-2:dmesg', { kernel: true, path: '/logs/node-2/dmesg' }],
  ]);
  assert.deepEqual(hostsOf(new Set(), logs).map(({ name }) => name), ['log:before', 'node-2']); // biome-ignore format: one line
});

test('an event is renamed with its host, and no other', () => {
  const base = { kind: 'host.oom', timeMs: 0, observedMs: 0, trust: 'kernel', source: 'kernel-log' } as const;
  const gpu = { type: 'gpu', id: '0000:9b:00.0', host: 'dmesg' } as const;
  assert.deepEqual(asOf('node-1', { ...base, component: gpu }, new Set(['node-1', 'dmesg'])).component, {
    ...gpu,
    host: 'node-1',
  });
  assert.deepEqual(
    asOf('node-1', { ...base, component: { type: 'host', id: 'dmesg' } }, new Set(['dmesg'])).component,
    {
      type: 'host',
      id: 'node-1',
    },
  );
  const other = { ...base, component: { type: 'host', id: 'node-9' } } as const;
  assert.equal(asOf('node-1', other, new Set(['dmesg'])), other);
});

test('each folder with a kernel log is a host that is called like it, with the logs of jobs in it', () => {
  const logs = new Map([
    ['dmesg', { kernel: true, path: '/logs/node-1/dmesg' }],
    ['job', { kernel: false, path: '/logs/node-1/job' }],
    ['node-2:dmesg', { kernel: true, path: '/logs/node-2/dmesg' }],
  ]);
  assert.deepEqual(hostsOf(new Set(), logs), [
    { name: 'node-1', foundAs: ['dmesg', 'job'], isCalledAfterLog: true },
    { name: 'node-2', foundAs: ['node-2:dmesg'], isCalledAfterLog: true },
  ]);
});

const log = (path: string, kernel = false) => [path, { kernel, path }] as const;
const shown = (...args: Parameters<typeof hostsOf>) =>
  Object.fromEntries(hostsOf(...args).map(({ name, foundAs }) => [name, foundAs]));

test('a path may name the host: a folder of a must-gather, the report of a host, the file', () => {
  const logs = new Map([
    log('/mg/nodes/gx-07/dmesg', true),
    log('/mg/nodes/gx-07/gpu/smi.txt'),
    log('/mg/nodes/gx-08/dmesg', true),
    log(
      '/in/sosreport-gx-09-2026-11-28-abcdefg.tar.xz!sosreport-gx-09-2026-11-28-abcdefg/sos_commands/kernel/dmesg',
      true,
    ),
    log('/in/sosreport-gx-09-2026-11-28-abcdefg.tar.xz!sosreport-gx-09-2026-11-28-abcdefg/sos_commands/pci/lspci'),
    log('/logs/dmesg-gx-10.txt', true),
    log('/logs/gx-11.dmesg.gz', true),
    log('/logs/ipmi-gx-12-sel.txt'),
  ]);
  assert.deepEqual(
    hostsOf(new Set(), logs).map(({ name, foundAs }) => [name, foundAs.length]),
    [['gx-07', 2], ['gx-08', 1], ['gx-09', 2], ['gx-10', 1], ['gx-11', 1], ['gx-12', 1]], // biome-ignore format: one line
  );
});

test('the host of a path is the one that lines call by its full name', () => {
  const logs = new Map([log('/mg/nodes/gx-07/dmesg', true), log('/mg/nodes/gx-08/dmesg', true)]);
  assert.deepEqual(shown(new Set(['gx-07.dc1.example', 'other']), logs), {
    'gx-07.dc1.example': ['gx-07.dc1.example', '/mg/nodes/gx-07/dmesg'],
    other: ['other'],
    'gx-08': ['/mg/nodes/gx-08/dmesg'],
  });
});

test('a log without a host is of the host whose logs are nearest, and of none where several are', () => {
  const logs = new Map([log('/all/a/gpu/lspci.txt'), log('/all/b/job.out'), log('/all/readme.txt')]);
  const namedIn = new Map([
    ['n-1', new Set(['/all/a/var/log/messages'])],
    ['n-2', new Set(['/all/b/messages'])],
  ]);
  assert.deepEqual(shown(new Set(['n-1', 'n-2']), logs, namedIn), {
    'n-1': ['n-1', '/all/a/gpu/lspci.txt'],
    'n-2': ['n-2', '/all/b/job.out'],
    '/all/readme.txt': ['/all/readme.txt'],
  });
});

test('names that tell logs of one host apart name no host', () => {
  for (const path of [
    '/l/dmesg.1',
    '/l/dmesg-20261128',
    '/l/dmesg-boot1',
    '/l/kern.log',
    '/l/dmesg-before',
    '/l/job-812.out',
    '/l/messages.old',
    '/l/dmesg-v2',
    '/l/gpu0_dmesg',
    '/mg/nodes/gx-07.yaml',
  ])
    assert.equal(hostInPath(path), null, path);
});

test('the ending of a file, a day, and how a report was asked for are no part of a host', () => {
  const names = [
    'dmesg-gx-07.csv', 'nvidia-smi-gx-07.csv', 'nvidia-smi-q-gx-07.txt', 'sel-list-gx-07.txt', 'sel-elist-gx-07.txt', 'smi-gx-07.txt',
    'dmesgT-gx-07.txt', 'dmesg-gx-07-20261128.txt', '20261128-dmesg-gx-07.txt', 'gx-07_dmesg_2026-11-28T10-11-12.log', 'dmesg-gx-07-after.txt',
  ]; // biome-ignore format: a table
  for (const name of names) assert.equal(hostInPath(`/logs/${name}`), 'gx-07', name);
  assert.equal(hostInPath('/logs/sel-elist-gpu-b07.txt'), 'gpu-b07');
  assert.deepEqual([hostInPath('/logs/gpu07-kern.log'), hostInPath('/logs/gpu7-kern.log')], ['gpu07', null]);
});

test('only a log that a machine alone writes is called by its whole name', () => {
  assert.equal(hostInPath('/logs/gx-07.log'), null, 'it may be the log of a run of that name');
  assert.equal(hostInPath('/logs/gx-07.log', true), 'gx-07');
  for (const name of ['run-07.log', 'dmesg-07.txt', 'kern.log.1', 'messages-20261128', 'old.txt'])
    assert.equal(hostInPath(`/logs/${name}`, true), null, name);
  const names = (kernel: boolean) =>
    hostsOf(new Set(), new Map([['log:gx-07.log', { kernel, path: '/logs/gx-07.log' }]])).map(({ name }) => name);
  assert.deepEqual([names(true), names(false)], [['gx-07'], ['log:gx-07.log']]);
});

test('a folder of a case, a ticket or a day is not a host, save where lines name hosts of that form', () => {
  const logs = (...folders: string[]) => new Map(folders.map((folder) => log(`/all/${folder}/dmesg.txt`, true)));
  const names = (named: string[], ...folders: string[]) =>
    hostsOf(new Set(named), logs(...folders))
      .map(({ name }) => name)
      .filter((name) => !named.includes(name));
  const folders = ['d02', 'd10', 'd16', 'inc-47', 'inc-4711', 'OPS-12', 'case3'];
  assert.deepEqual(
    names(['gx-01', 'gx-02'], ...folders),
    folders.map((folder) => `log:${folder}`),
  );
  assert.deepEqual(names(['d77', 'd78'], 'd02', 'gx-03'), ['d02', 'gx-03']);
});

test('among logs of several hosts a kernel log without a name takes none of other folders to its host', () => {
  const logs = new Map([log('/all/d76/mmfs.log', true), log('/all/d76/job.out'), log('/all/d56/sel.txt')]);
  assert.deepEqual(shown(new Set(['gx-01', 'gx-02']), logs), {
    'gx-01': ['gx-01'],
    'gx-02': ['gx-02'],
    'log:d76': ['/all/d76/mmfs.log', '/all/d76/job.out'],
    'log:d56': ['/all/d56/sel.txt'],
  });
});

test('what a tool printed of the devices of one machine is of the host that its file is called after', () => {
  const names = ['gx-40.csv', 'gx-85-gpu.csv', 'temps_gx-31.csv', 'dgx-h100-03.txt', 'gpu.csv', 'gpu-3.csv', 'run-12.csv', 'case-12-gpus.csv', 'nvlink.txt', 'smi-2026-11-30.csv']; // biome-ignore format: one line
  const named = ['gx-40', 'gx-85', 'gx-31', 'dgx-h100-03', null, null, null, null, null, null];
  assert.deepEqual(
    names.map((name) => hostInPath(`/logs/${name}`, true)),
    named,
  );
  assert.equal(hostInPath('/logs/gx-40.csv'), null);
});

test('what a BMC, a diagnosis, a terminal or kubectl printed is of the host that its file is called after', () => {
  const names = ['gx-51-lclog.txt', 'gx-53-racadm-getsel.txt', 'dcgmi-diag-gx-54.txt', 'gx-54-dcgmi-diag.txt', 'gx-55-term.txt', 'describe-node-gx-71.txt', 'q3-long-term.log', 'sglang-llama3.log']; // biome-ignore format: one line
  assert.deepEqual(
    names.map((name) => hostInPath(`/logs/${name}`)),
    ['gx-51', 'gx-53', 'gx-54', 'gx-54', 'gx-55', 'gx-71', null, null],
  );
});

test('what is behind or before a host in the name of a file is a note, save where it is a domain', () => {
  const names = [
    'hx-35.rows.txt', 'hx-35.retired-pages.csv', 'hx-35.after.reboot.txt', 'bad.hx-35.txt', 'hx-35-xyzzy.txt', 'hx-35_not_ok.txt', 'topo-hx-35.txt',
    'hx-35.hall.example.org.txt', 'hx-35.local.csv', 'hx-35.cs.uni.de.txt', 'hx-35.ib.txt', 'llama-70-slow.csv', 'case-12-slow.csv', 'hx-35.hx-36.txt',
  ]; // biome-ignore format: a table
  const hosts = [
    ...Array(7).fill('hx-35'),
    'hx-35.hall.example.org',
    'hx-35.local',
    'hx-35.cs.uni.de',
    'hx-35',
    null,
    null,
    null,
  ];
  assert.deepEqual(
    names.map((name) => hostInPath(`/logs/${name}`, true)),
    hosts,
  );
});

test('what a BMC or a file server exports is of the host that its file names', () => {
  assert.equal(hostInPath('/logs/gx-33-ilo-iml.txt'), 'gx-33');
  assert.equal(hostInPath('/logs/st-04-beegfs-storage.log'), 'st-04');
  for (const name of ['smc-sel-gx-33.txt', 'dell-lclog-gx-33.txt', 'gx-33_hpe_iml.csv'])
    assert.equal(hostInPath(`/logs/${name}`), 'gx-33', name);
  assert.equal(hostInPath('/logs/ilo-5.txt'), null, 'that is a release');
});

test('the name of a log of a job or a service says its host, where it is plainly one', () => {
  const names = [
    'vllm-node07.log', 'triton_dgx-h100-12.log', 'c4-19.raylet.out', 'torchrun-nid001234.err', 'pretrain-412233-hx-06.out',
    'slurm-88123.hx-06.out', 'hx-06-slurm-88123.out', 'job88123-hx-06.log', 'torchrun-hx-06-rank0.log', 'sglang_hx-06_tp8.log', 'train-llama-70.log', 'vllm-qwen-72.log', 'deepspeed-stage-03.log',
    'nemo-lora-16.log', 'train-seed-42.log', 'vllm-h100.log', 'ray-2.9.log', 'sglang-v3.log', 'slurm-88123-4.out', 'train-rank-07.log',
  ]; // biome-ignore format: a table
  const hosts = ['node07', 'dgx-h100-12', 'c4-19', 'nid001234', ...Array(6).fill('hx-06'), ...Array(10).fill(null)];
  assert.deepEqual(
    names.map((name) => hostOfPath(`/logs/${name}`)?.host ?? null),
    hosts,
  );
  assert.deepEqual(hostOfPath('/logs/vllm-node07.log'), { host: 'node07', ofProgram: true });
  assert.equal(hostInPath('/logs/vllm-node07.log'), null, 'its lines may name others');
});

test('tools and daemons of one machine, copies, hours and ticket numbers around the name of a host', () => {
  const names = [
    'hx-06_bmc.log', 'xcc-hx-06-audit.txt', 'hx-06-slurmd.log', 'kubelet.hx-06.log', 'hx-06.kern.log.1', 'hx-06-dmesg-2.log', 'hx-06-dmesg (1).txt',
    'sol-hx-06-0312.log', 'hx-06-mlxlink.txt', 'scontrol-show-node-hx-06.txt', 'vmcore-dmesg-hx-06.txt', 'mmfs.log.hx-06', 'netconsole_hx-06.log.gz',
    'dmesg-28.11.2026-hx-06.txt', 'hx-06_28Nov2026_dmesg.txt', 'sosreport-hx-06', 'TSR-hx-06.txt',
  ]; // biome-ignore format: a table
  for (const name of names) assert.equal(hostInPath(`/logs/${name}`), 'hx-06', name);
});

test('products, releases, devices, tickets and months next to what the log is are no hosts', () => {
  const names = [
    'h100-dmesg.txt', 'dmesg-mi300x.log', 'xid79-dmesg.log', 'dmesg-cuda12.txt', 'r550-dmesg.txt', 'rhel9-messages', 'dmesg-pr-1234.txt', 'OPS-12-dmesg.txt',
    'nov28-kern.log', 'smartctl-nvme0n1.txt', 'ethtool-enp65s0f0.txt', 'ibstat-mlx5_0.txt', 'rack14-dmesg.txt', 'raid5-dmesg.txt', 'sda1-smart.txt',
  ]; // biome-ignore format: a table
  for (const name of names)
    for (const ofMachine of [false, true]) assert.equal(hostInPath(`/logs/${name}`, ofMachine), null, name);
});

test('a folder below that of all hosts is one, that of a day or of all logs is not', () => {
  assert.equal(hostInPath('/case/by-host/alpha/train.log'), 'alpha');
  for (const folder of ['2026-11-28', 'all', '0312'])
    assert.equal(hostInPath(`/case/hosts/${folder}/train.log`), null, folder);
});

test('lines count before the name of a log of a job, and a name in the form of known hosts is one', () => {
  const job = (path: string, more = {}) => [`log:${path}`, { kernel: false, path: `/l/${path}`, ...more }] as const;
  assert.deepEqual(shown(new Set(), new Map([job('vllm-hx-06.log', { says: 'hx-09' })])), {
    'hx-09': ['log:vllm-hx-06.log'],
  });
  assert.deepEqual(shown(new Set(), new Map([job('vllm-hx-06.log', { ranOn: ['hx-08', 'hx-09'] })])), {
    'log:vllm-hx-06.log': ['log:vllm-hx-06.log'],
  });
  assert.deepEqual(shown(new Set(), new Map([job('pretrain-412233-hx-06.out', { isWide: true })])), {
    'log:pretrain-412233-hx-06.out': ['log:pretrain-412233-hx-06.out'],
  });
  const [host] = hostsOf(new Set(), new Map([job('vllm-hx-06.log')]));
  assert.deepEqual([host?.name, host?.namedByName], ['hx-06', ['/l/vllm-hx-06.log']]);
  const [both] = hostsOf(new Set(), new Map([job('vllm-hx-06.log'), log('/l/kern.log', true)]));
  assert.deepEqual([both?.name, both?.namedByNeighbour], ['hx-06', ['/l/kern.log']]);
  const [sure] = hostsOf(new Set(), new Map([job('vllm-hx-06.log'), log('/l/hx-06-dmesg', true), log('/l/sel.txt')]));
  assert.deepEqual([sure?.name, sure?.namedByNeighbour], ['hx-06', undefined]);
  assert.deepEqual(shown(new Set(['c01', 'c02']), new Map([job('notes_c07_final.txt')])), {
    c01: ['c01'],
    c02: ['c02'],
    c07: ['log:notes_c07_final.txt'],
  });
  assert.equal(
    hostInForm('/l/c07-to-c08.txt', (name) => /^c\d\d$/.test(name)),
    null,
    'that is of two',
  );
});

test('behind a dot or an underscore any words are a note, on the log of a job as well', () => {
  const names = ['hx-06.restart-2.log', 'hx-06_first_try.txt', 'hx-06.mlxlink-p0.txt', 'cifar-10.train.log', 'resnet-50_b.log', 'run-12.final.log']; // biome-ignore format: one line
  assert.deepEqual(
    names.map((name) => hostOfPath(`/logs/${name}`)),
    [...Array(3).fill({ host: 'hx-06', ofProgram: true }), null, null, null],
  );
});

test('a kernel log that lies in the log of a program is of the host that its name has besides the program', () => {
  const names = ['maxtext-hx-06.log', 'rccl-88123.out', 'hx-06.log', 'vllm-hx-06.log'];
  assert.deepEqual(
    names.map((name) => hostInPath(`/logs/${name}`, true)),
    ['hx-06', null, 'hx-06', 'hx-06'],
  );
});
