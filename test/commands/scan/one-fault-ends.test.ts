// Ends of one fault: what is said at the other end of a cable, by another daemon or by what hangs on it is of that fault; its look-alikes are not.

import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { type Logs, scannedLogs } from './scanned.ts';

/** What a tool shows without a time is of the day on which its file was written, or of the days before. */
const yesterday = new Date(Date.now() - 86_400_000).toISOString();
const [DATE = ''] = yesterday.split('T');
const [, month = '', day = ''] = DATE.split('-');
const DAY = `${['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'][Number(month) - 1]} ${day.replace(/^0/, ' ')}`; // biome-ignore format: one line
const kern = (time: string, host: string, text: string): string => `${DAY} ${time} ${host} kernel: ${text}`;

async function incidentsOf(t: TestContext, logs: Logs): Promise<{ count: number; text: string }> {
  const text = await scannedLogs(t, logs);
  return { count: text.match(/^INCIDENT/gm)?.length ?? 0, text };
}

const FLAPS = ['01:12', '01:40', '02:08', '02:36'].flatMap((at) => [
  kern(`${at}:10`, 'gx-3', 'mlx5_core 0000:5e:00.0 ibp94s0: Link down'),
  kern(`${at}:19`, 'gx-3', 'mlx5_core 0000:5e:00.0 ibp94s0: Link up'),
]);
const RETRIES =
  'gx-2:2210:2688 [2] transport/net_ib.cc:2060 NCCL WARN NET/IB : Got completion from peer 10.9.9.13<50211> with status=12 opcode=0 len=0 vendor err 129 (Send) hca mlx5_2';
const channel = (host: string, rank: number): string =>
  `${host}:2224:2837 [6] NCCL INFO Channel 00/0 : ${rank}[2] -> 28[7] [send] via NET/IB/1/GDRDMA`;
const grew = (end: string): string =>
  `-E- ${end} - "symbol_error_counter" increased during the run (difference value=2213,difference allowed threshold=0)`;

test('the log of a job without times is of the only link that failed, however long that flapped', async (t) => {
  const { count, text } = await incidentsOf(t, {
    'gx-3.kern.log': FLAPS,
    'nccl-job.log': [channel('gx-2', 1), channel('gx-3', 9), RETRIES],
  });
  assert.equal(count, 1, text);
  assert.match(text, /Root cause +NIC port down on gx-3 ibp94s0, 4 times/);
  assert.match(text, new RegExp(`seen ${DATE} 01:12:10 … 02:36:19,`));
});

test('a job that ran on other hosts is not of it, and comes behind what is confirmed', async (t) => {
  const { count, text } = await incidentsOf(t, {
    'gx-3.kern.log': FLAPS,
    'nccl-job.log': [channel('gx-2', 1), channel('gx-7', 9), RETRIES],
  });
  assert.equal(count, 2, text);
  assert.ok(text.indexOf('NIC port down on gx-3') < text.indexOf('RDMA retries exceeded'), text);
});

test('ibdiagnet counts errors at both ends of one cable: one incident with the port that flaps; of two cables none is guessed', async (t) => {
  const head = ['-I- Discovering ... 412 nodes (80 Switches & 332 CA-s) discovered.'];
  const one = await incidentsOf(t, {
    'gx-3.kern.log': FLAPS,
    'ibdiagnet2.log': [...head, grew('gx-3/mlx5_2/U1/P1'), grew('leaf-2/U1/P14')],
  });
  assert.equal(one.count, 1, one.text);
  assert.match(one.text, /leaf-2 port 14/);
  const two = await incidentsOf(t, {
    'ibdiagnet2.log': [...head, grew('gx-3/mlx5_2/U1/P1'), grew('gx-4/mlx5_0/U1/P1'), grew('leaf-2/U1/P14'), grew('leaf-9/U1/P3')], // biome-ignore format: one list
  });
  assert.equal(two.count, 4, two.text);
});

const NO_INIT = [
  '[   41.000003] NVRM: loading NVIDIA UNIX Open Kernel Module for x86_64  570.158.01  Release Build',
  '[   64.000004] NVRM: GPU 0000:cb:00.0: RmInitAdapter failed! (0x62:0xffff:2015)',
];
const counted = (found: number): string =>
  `[${DATE}T06:02:11.331] error: Setting node gx-8 state to INVAL with reason:gres/gpu count reported lower than configured (${found} < 8)`;

test('a GPU that does not start is the one that the scheduler misses; where it misses two they stay apart', async (t) => {
  const one = await incidentsOf(t, { 'gx-8.dmesg': NO_INIT, 'slurmctld.log': [counted(7)] });
  assert.equal(one.count, 1, one.text);
  assert.match(one.text, /Root cause +GPU failed to initialise on gx-8 gpu 0000:cb:00\.0/);
  assert.doesNotMatch(one.text, /^(?:remediated|verified)/m);
  const two = await incidentsOf(t, { 'gx-8.dmesg': NO_INIT, 'slurmctld.log': [counted(6)] });
  assert.equal(two.count, 2, two.text);
});

const ups = (time: string, host: string, text: string): string => `${DAY} ${time} ${host} upsmon[1511]: ${text}`;
const BATTERY = [
  ups('01:31:02', 'mgmt-1', 'UPS ups-b@localhost on battery'),
  ups('01:36:45', 'mgmt-1', 'Executing automatic power-fail shutdown'),
];

test('hosts that the same UPS shut down are of its incident and to be started again; a shutdown without it is none', async (t) => {
  const one = await incidentsOf(t, {
    'mgmt.log': BATTERY,
    'st-01.log': [
      ups('01:36:46', 'st-01', 'Auto logout and shutdown proceeding'),
      `${DAY} 01:36:47 st-01 systemd-logind[1411]: System is powering down.`,
    ],
  });
  assert.equal(one.count, 1, one.text);
  assert.match(one.text, /Effect +st-01 shut itself down/);
  assert.match(one.text, /Do .*then start mgmt-1 and st-01/);
  const alone = await incidentsOf(t, {
    'mgmt.log': BATTERY,
    'st-01.log': [`${DAY} 01:36:47 st-01 systemd-logind[1411]: System is powering down.`],
  });
  assert.doesNotMatch(alone.text, /st-01 shut itself down/);
});

const storm = (port: string): string =>
  `${DAY} 05:02:11.100000 leaf-7 WARNING swss#orchagent: :- startWdActionOnQueue: PFC Watchdog detected PFC storm on port ${port}, queue index 3, queue id 0x1500000000052c and port id 0x1000000000045.`;
const STALLS = ['NIC statistics:', '     tx_pause_storm_warning_events: 71', '     tx_prio3_pause: 98213377'];

test('a storm on the port of a switch and on the only host that counts storms is one; of two ports none is guessed', async (t) => {
  const one = await incidentsOf(t, { 'leaf-7.syslog': [storm('Ethernet96')], 'gx-13.ethtool-S.txt': STALLS });
  assert.equal(one.count, 1, one.text);
  assert.match(one.text, /Root cause +PFC storm: gx-13 pauses leaf-7 port Ethernet96 until it drops/);
  assert.match(one.text, new RegExp(`seen ${DATE} 05:02:11\\n`));
  const two = await incidentsOf(t, {
    'leaf-7.syslog': [storm('Ethernet96'), storm('Ethernet8')],
    'gx-13.ethtool-S.txt': STALLS,
  });
  assert.ok(two.count > 1, two.text);
});

test('the last line calls the gravest in the words of its report', async (t) => {
  const { text } = await incidentsOf(t, {
    'leaf-7.syslog': [storm('Ethernet96')],
    'gx-1.log': [kern('09:00:00', 'gx-1', 'EXT4-fs (sdb1): Remounting filesystem read-only')],
  });
  const [, root = ''] = /Root cause +(.+)/.exec(text) ?? [];
  const [, last = ''] = /The (?:first to read|gravest of them): \w{6}, \w+: (.+)\.$/m.exec(text) ?? [];
  assert.equal(last, root, text);
});

test('a module is called as the board calls it, where the BMC says it', async (t) => {
  const { text } = await incidentsOf(t, {
    'gx-5-sel.txt': ['62 | 11/20/2026 | 03:47:10 UTC | Memory | Uncorrectable ECC (CPU2_B1) | Asserted'],
  });
  assert.match(text, /Root cause +uncorrected memory error on gx-5 \(DIMM CPU2_B1\)/);
  assert.match(text, /Do +replace DIMM CPU2_B1 of gx-5/);
  const check = await incidentsOf(t, {
    'gx-5-sel.txt': ['5 | 11/20/2026 | 10:01:02 UTC | Memory | Uncorrectable ECC (@DIMMA1(CPU1)) | Asserted'],
    'gx-5.log': ['2026-11-20T10:01:02+00:00 gx-5 kernel: mce: [Hardware Error]: CPU 0: Machine Check Exception: 5 Bank 7: be00000001010091'], // biome-ignore format: one line
  });
  assert.equal(check.count, 1, check.text);
  assert.match(check.text, /Root cause .*gx-5 .*DIMMA1/);
  const bare = await incidentsOf(t, {
    'gx-5-sel.txt': ['62 | 11/20/2026 | 03:47:10 UTC | Memory | Uncorrectable ECC | Asserted'],
  });
  assert.match(bare.text, /Do +find the memory module/);
});

const NO_CACHE = [
  `INFO ${month}-${day} 10:02:11 [config.py:1604] Using max model len 32768`,
  `ERROR ${month}-${day} 10:03:42 [core.py:718] ValueError: No available memory for the cache blocks. Try increasing \`gpu_memory_utilization\` when initializing the engine.`,
];
const describe = (pod: string, container: string): string[] => [
  `Name:             ${pod}`,
  'Namespace:        serving',
  'Node:             gx-21/10.4.0.21',
  'Events:',
  '  Type     Reason   Age                   From     Message',
  '  ----     ------   ----                  ----     -------',
  `  Warning  BackOff  3m (x120 over 58m)    kubelet  Back-off restarting failed container ${container} in pod ${pod}_serving(8f21)`,
];

test('the log of a container says why its pod ends again and again; that of another one does not', async (t) => {
  for (const log of ['vllm.log', 'qwen-0.log', 'qwen-0-previous.log']) {
    const { count, text } = await incidentsOf(t, { 'describe.txt': describe('qwen-0', 'vllm'), [log]: NO_CACHE });
    assert.equal(count, 1, text);
    assert.match(text, /Root cause +(?:Unconfirmed: )?GPU out of memory on/);
    assert.match(text, /Effect .*pod serving\/qwen-0: container ends again and again/);
  }
  const apart = await incidentsOf(t, { 'describe.txt': describe('web-0', 'nginx'), 'vllm.log': NO_CACHE });
  assert.equal(apart.count, 2, apart.text);
});

test('a disk whose port is tried again is one fault, called by the disk', async (t) => {
  const { count, text } = await incidentsOf(t, {
    'st-4.log': [
      kern('02:00:11', 'st-4', 'ata4.00: failed command: READ FPDMA QUEUED'),
      kern('02:00:11', 'st-4', 'blk_update_request: I/O error, dev sdd, sector 71231231 op 0x0:(READ) flags 0x0'),
    ],
  });
  assert.equal(count, 1, text);
  assert.match(text, /Root cause +storage I\/O error on st-4 disk sdd/);
});

const panic = [
  kern('11:00:02', 'gx-95', 'BUG: kernel NULL pointer dereference, address: 0000000000000008'),
  kern('11:00:02', 'gx-95', 'Kernel panic - not syncing: Fatal exception'),
];

test('a host whose kernel stopped is the one that the scheduler misses minutes later; another host, or hours later, is not', async (t) => {
  const missed = (host: string, at: string): string[] => [
    `[${DATE}T${at}:00.000] error: Nodes ${host} not responding`,
    `[${DATE}T${at}:40.000] error: Nodes ${host} not responding, setting DOWN`,
  ];
  const one = await incidentsOf(t, { 'gx-95.log': panic, 'slurmctld.log': missed('gx-95', '11:05') });
  assert.equal(one.count, 1, one.text);
  assert.match(one.text, /Root cause +kernel oops on gx-95/);
  for (const [host, at] of [
    ['gx-96', '11:05'],
    ['gx-95', '16:05'],
  ] as const) {
    const apart = await incidentsOf(t, { 'gx-95.log': panic, 'slurmctld.log': missed(host, at) });
    assert.equal(apart.count, 2, apart.text);
  }
});

test('clients that wait for a server that stopped, and that the scheduler misses, are of the server', async (t) => {
  const waits = (host: string): string => kern('11:03:10', host, 'nfs: server nas-1 not responding, still trying');
  const logs = (nodes: string): Logs => ({
    'nas-1.log': panic.map((line) => line.replaceAll('gx-95', 'nas-1')),
    'a.log': [waits('gx-41')],
    'b.log': [waits('gx-42')],
    'slurmctld.log': [`[${DATE}T11:08:31.200] error: Nodes ${nodes} not responding`],
  });
  const one = await incidentsOf(t, logs('gx-[41-42]'));
  assert.equal(one.count, 1, one.text);
  assert.match(one.text, /Root cause +kernel oops on nas-1/);
  const apart = await incidentsOf(t, logs('gx-[71-72]'));
  assert.equal(apart.count, 2, apart.text);
});

test('a driver that does not fit is why the scheduler counts no GPU; where it counts seven it is not', async (t) => {
  const smi = ['Failed to initialize NVML: Driver/library version mismatch', 'NVML library version: 570.172'];
  const logs = (found: number): Logs => ({ 'gx-8-nvidia-smi.txt': smi, 'gx-8.log': [kern('06:00:01', 'gx-8', 'NVRM: API mismatch: the client has the version 570.172.08, but')], 'slurmctld.log': [counted(found)] }); // biome-ignore format: one list
  const one = await incidentsOf(t, logs(0));
  assert.equal(one.count, 1, one.text);
  assert.match(one.text, /Root cause +driver does not fit/);
  const apart = await incidentsOf(t, logs(7));
  assert.equal(apart.count, 2, apart.text);
});

test('what etcd waits for is the only disk of its host that stalls then', async (t) => {
  const etcd = `{"level":"warn","ts":"${DATE}T12:00:11.112Z","caller":"wal/wal.go:805","msg":"slow fdatasync","took":"3.2s","expected-duration":"1s"}`;
  const logs = (at: string): Logs => ({
    'etcd-cp-1.log': [etcd],
    'cp-1-kern.log': [kern(at, 'cp-1', 'nvme nvme0: I/O 88 QID 4 timeout, aborting')],
  });
  const one = await incidentsOf(t, logs('12:00:09'));
  assert.equal(one.count, 1, one.text);
  assert.match(one.text, /Effect +etcd waits for it/);
  const apart = await incidentsOf(t, logs('09:00:09'));
  assert.equal(apart.count, 2, apart.text);
});

test('counters of a card without its host are of the only host next to the log of its switch, and of the link that flaps there', async (t) => {
  const crc = ['NIC statistics:', '     rx_crc_errors_phy: 88213', '     rx_symbol_err_phy: 1221'];
  const flap = (host: string): string[] => [
    kern('13:00:01', host, 'mlx5_core 0000:5e:00.0 ens5f0np0: Link down'),
    kern('13:00:05', host, 'mlx5_core 0000:5e:00.0 ens5f0np0: Link up'),
  ];
  const leaf = [
    `${DAY} 13:00:01 leaf-4 %ETHPORT-5-IF_DOWN_LINK_FAILURE: Interface Ethernet1/12 is down (Link failure)`,
    `${DAY} 13:00:05 leaf-4 %ETHPORT-5-IF_UP: Interface Ethernet1/12 is up in mode trunk`,
  ];
  const one = await incidentsOf(t, { 'leaf-4.log': leaf, 'gx-12.log': flap('gx-12'), 'ethtool-S.txt': crc });
  assert.equal(one.count, 1, one.text);
  assert.match(one.text, /Root cause +NIC link flapped on gx-12 ens5f0np0/);
  const two = await incidentsOf(t, { 'gx-12.log': flap('gx-12'), 'gx-13.log': [kern('09:00:01', 'gx-13', 'mlx5_core 0000:5e:00.0 ens5f0np0: Link down')], 'ethtool-S.txt': crc }); // biome-ignore format: one list
  assert.equal(two.count, 3, two.text);
});

test('munge that refuses a credential is of the only clock that says itself that it is wrong; of two it is of none', async (t) => {
  const wrong = (host: string): string =>
    `${DAY} 11:40:10 ${host} chronyd[1544]: System clock wrong by -322.412311 seconds`;
  const munge = [`${DAY} 11:44:03 ctl-1 slurmctld[2210]: error: Munge decode failed: Expired credential`];
  const one = await incidentsOf(t, { 'gx-5.log': [wrong('gx-5')], 'ctl.log': munge });
  assert.equal(one.count, 1, one.text);
  assert.match(one.text, /Root cause +(?:Unconfirmed: )?clock wrong on gx-5: 322\.4 s off/);
  const two = await incidentsOf(t, { 'gx-5.log': [wrong('gx-5')], 'gx-6.log': [wrong('gx-6')], 'ctl.log': munge });
  assert.equal(two.count, 3, two.text);
});

test('a check of the client shows the target that clients wait for; another target is another fault', async (t) => {
  const lost = (host: string): string =>
    kern('07:00:09', host, 'Lustre: work-OST0003-osc-ffff9a: Connection to work-OST0003 (at 10.1.0.3@o2ib) was lost; in progress operations using this service will wait for recovery to complete'); // biome-ignore format: one line
  const check = (target: string): string[] => [`${target}-osc-ffff9a: check error: Resource temporarily unavailable`];
  const logs = (target: string): Logs => ({ 'a.log': [lost('gx-1')], 'b.log': [lost('gx-2')], 'lfs-check.txt': check(target) }); // biome-ignore format: one list
  const one = await incidentsOf(t, logs('work-OST0003'));
  assert.equal(one.count, 1, one.text);
  const apart = await incidentsOf(t, logs('home-OST0001'));
  assert.equal(apart.count, 2, apart.text);
});

test('an array that a tool shows offline is the only one that failed, whosever host it names', async (t) => {
  const fatal = (host: string, at: string): string[] => [
    kern(`${at}:01`, host, 'sd 0:2:1:0: rejecting I/O to offline device'),
    kern(`${at}:02`, host, 'blk_update_request: I/O error, dev sdb, sector 2048 op 0x0:(READ)'),
  ];
  const storcli = [
    'DG/VD TYPE  State Access Consist Cache Cac sCC       Size Name',
    '1/1   RAID6 OfLn  RW     Yes     RWTD  -   ON  100.0 TB data',
  ];
  const one = await incidentsOf(t, { 'st-1.log': fatal('st-1', '02:00'), 'gx-2.log': [kern('02:30:00', 'gx-2', 'usb 1-1: new device')], 'storcli.txt': storcli }); // biome-ignore format: one list
  assert.equal(one.count, 1, one.text);
  const two = await incidentsOf(t, { 'st-1.log': fatal('st-1', '02:00'), 'st-2.log': fatal('st-2', '05:00'), 'storcli.txt': storcli }); // biome-ignore format: one list
  assert.equal(two.count, 3, two.text);
});
