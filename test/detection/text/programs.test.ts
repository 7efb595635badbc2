// Daemons of a host by catalog/programs.json: each row reads its example, under a syslog's head and, where it may, in a log of its own.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SPEAKS_OF_DEVICES } from '../../../src/detection/text/kernel/programs.ts';
import { decodeKernelLine, kernelContext, releaseHeld } from '../../../src/detection/text/kernel.ts';
import { bareFindings, PROGRAM_ROWS, PROGRAM_WORDS } from '../../../src/detection/text/programs/program-rows.ts';
import { ProgramLog } from '../../../src/detection/text/report/program-log.ts';
import { TextDetection } from '../../../src/detection/text/text-detection.ts';
import { isKind } from '../../../src/model/kind.ts';
import { SEVERITIES } from '../../../src/model/severity.ts';
import { kernelRecord, START_MS } from './lines.ts';

/** As a syslog daemon hands it over; `facility` 3: a daemon's. */
function logged(line: string, facility = 3): string[] {
  const record = kernelRecord(line);
  const of = { ...record, attributes: { ...record.attributes, facility } };
  const context = kernelContext('node-1');
  // An end is news only after a beginning, which is held back for a minute.
  context.isClockWrong = line.includes('Selected source');
  const events = [...decodeKernelLine(of, context), ...releaseHeld(context, START_MS + 600_000)];
  return [...new Set(events.map(({ kind }) => kind))];
}

function own(line: string): string[] {
  return [...new Set((new ProgramLog('node-1').take(line)?.findings ?? []).map(({ kind }) => kind))];
}

for (const { program, example, kind, severity, bare } of PROGRAM_ROWS) {
  test(`${program}: "${example.slice(0, 60)}" is ${kind}`, () => {
    assert.ok(isKind(kind));
    assert.ok(severity === undefined || SEVERITIES.includes(severity));
    assert.deepEqual(logged(`${program}[812]: ${example}`), [kind]);
    assert.deepEqual(logged(`${program}: ${example}`), [kind]);
    assert.ok(SPEAKS_OF_DEVICES.test(`${program}[812]: `) && !SPEAKS_OF_DEVICES.test(`${program}-x[812]: `));
    assert.deepEqual(own(`2026-11-28 12:00:24 +0000  ${example}`), bare === true ? [kind] : []);
    assert.ok(
      PROGRAM_WORDS.some((word) => example.includes(word)),
      'a word of the list is in it',
    );
  });

  test(`${program}: "${example.slice(0, 60)}" says nothing where another line quotes it, or the kernel has the words`, () => {
    for (const quote of [
      `looking for "${example}"`,
      `> ${example}`,
      `# ${example}`,
      `if the log has ${example} restart`,
    ])
      assert.deepEqual([own(quote), logged(`${program}[812]: ${quote}`), logged(quote)], [[], [], []], quote);
    assert.deepEqual(logged(`${program}[812]: ${example}`, 0), []);
    assert.deepEqual(logged(`cron[812]: ${example}`), []);
  });
}

test('Slurm ends by "fatal", as its log or its terminal has it; other programs have that word, too', () => {
  assert.deepEqual(own('[2026-11-28T12:00:00.123] fatal: Unable to bind listen port (6818): Address already in use'), [
    'host.degraded',
  ]);
  assert.deepEqual(own('fatal: not a git repository (or any of the parent directories): .git'), []);
  assert.deepEqual(own('[2026-11-28T12:00:00.123] error: this host already has a job'), []);
});

/** What the same programs write on an ordinary day. */
const ORDINARY = [
  'slurmctld[812]: Node gx-12 now responding to mails',
  'slurmctld[812]: sched: Allocate JobId=4411 NodeList=gx-[12-13] #CPUs=256 Partition=gpu',
  'slurmctld[812]: _job_complete: JobId=4411 WEXITSTATUS 0',
  'pbs_server[812]: 11/28/2026 12:00:00;0008;Server@gx-ctl;Job;4411.gx-ctl;Job Run at request of Scheduler@gx-ctl on exec_vhost (gx-12:ncpus=8)',
  'pbs_server[812]: 11/28/2026 12:00:00;0010;Server@gx-ctl;Job;4411.gx-ctl;Exit_status=0 resources_used.cpupercent=99',
  'pbs_server[812]: 11/28/2026 12:00:00;0004;Server@gx-ctl;Node;gx-12;node up',
  'kubelet[812]: I1128 12:00:00.123456    1234 kubelet.go:1302] "Image garbage collection succeeded"',
  'kubelet[812]: I1128 12:00:00.123456    1234 kubelet.go:2475] "Container runtime network ready"',
  'apcupsd[10]: apcupsd 3.14.14 (31 May 2016) debian startup succeeded',
  'apcupsd[10]: UPS Self Test switch to battery.',
  'apcupsd[10]: UPS Self Test completed: Battery OK',
  'UPS: Outlet Group 1, Web Server, turned on due to user control.',
  'UPS: Outlet Group 1, Web Server, turned off due to user control.',
  'UPS: On battery power in response to a self-test.',
  'upsmon[812]: Startup successful',
  // Its battery may also be low on line power: it is charged again, is worn out, or the UPS is wrong.
  'upsmon[812]: UPS rack4@localhost battery is low',
  "zed[5]: eid=3 class=statechange pool='tank' vdev=sdb1 vdev_state=ONLINE",
  "zed[5]: eid=4 class=statechange pool='tank' vdev=sdb1 vdev_state=OFFLINE",
  "zed[5]: eid=5 class=scrub_finish pool='tank'",
  "zed[5]: eid=6 class=config_sync pool='tank'",
  'phosphor-psu-monitor[550]: VIN_UV fault cleared: STATUS_WORD = 0x2848, STATUS_MFR_SPECIFIC = 0x0, STATUS_INPUT = 0x18',
  'phosphor-psu-monitor[550]: CML fault: STATUS_WORD = 0x2, STATUS_CML = 0x2',
  // Without an input there is no output.
  'phosphor-psu-monitor[550]: PGOOD fault: STATUS_WORD = 0x2848, STATUS_MFR_SPECIFIC = 0x0',
  'upsd[811]: Connected to UPS [rack4]: dummy-ups-rack4',
  'mcelog: Hardware event. This is not a software error.',
  'mcelog: warning: 8 bytes ignored in each record',
  'mcelog: Corrected error',
  'mcelog: failed to prefill DIMM database from DMI data',
  'rasdaemon: ras:mc_event event enabled',
  'rasdaemon[7]: Listening to events for cpus 0 to 63',
  'rasdaemon: <...>-812 [004] 0.000141: mce_record: 2026-11-28 12:00:24 +0000 bank=7, status= 8c00004000010090, Corrected_error, mcgstatus=0',
  'smartd[5]: Device: /dev/sda [SAT], SMART Usage Attribute: 194 Temperature_Celsius changed from 116 to 117',
  'smartd[5]: Device: /dev/sda [SAT], 0 Currently unreadable (pending) sectors',
  'smartd[5]: Device: /dev/nvme0, opened',
  'multipathd[5]: mpatha: remaining active paths: 3',
  'kubelet[5]: I1128 12:00:24.488085 5711 kubelet_node_status.go:491] "Fast updating node status as it just became ready"',
  'kubelet[5]: I1128 12:00:24.488085 5711 manager.go:477] "Registered endpoint" resourceName="nvidia.com/gpu"',
  'slurmctld[5]: sched: Allocate JobId=4411 NodeList=gx-4 #CPUs=64 Partition=train',
  'slurmctld[5]: _job_complete: JobId=4411 WEXITSTATUS 0',
  'slurmctld[5]: _job_complete: JobId=4411 WTERMSIG 15',
  'slurmctld[5]: _job_complete: JobId=4411 done',
  'orchagent[5]: :- doPortTask: Set port Ethernet32 admin status to down',
  'orchagent[5]: :- updatePortOperStatus: Port Ethernet32 oper state set from unknown to down',
  'nvidia-device-plugin[5]: 2026/11/28 12:00:24 Initializing NVML.',
  'bumblebeed[5]: [91063.874832] [INFO]Starting X server on display :8.',
  'e2e[5]: Nov 28 12:00:24.304: INFO: Condition Ready of node gx-12 is true instead of false. Reason: KubeletReady, message: kubelet is posting ready status',
  'slurmctld[5]: update_node: node gx-4 state set to IDLE',
  'slurmd[5]: slurmd: launch task StepId=4411.0 request from UID:1000',
  'slurmd[5]: slurmd: Prolog complete for JobId=4411',
  'ceph-mon[5]: 2026-11-28T12:00:24.488+0000 7f3c1a2b3700  0 log_channel(cluster) log [INF] : Health check cleared: SLOW_OPS (was: 2 slow ops, oldest one blocked for 45 sec, osd.3 has slow ops)',
  'ceph-mon[5]: cluster [WRN] Health check update: 0 slow ops, oldest one blocked for 41 sec, daemons [osd.12,osd.13] have slow ops. (SLOW_OPS)',
  'ceph-mon[5]: cluster [WRN] Health check update: 0 nearfull osd(s) (OSD_NEARFULL)',
  'ceph-mon[5]: cluster [INF] osd.3 boot',
  'ceph-osd[5]: osd.3 44120 tick checking mon for new map',
  'kube-controller-manager[5]: I1128 12:00:24.488085 1 node_lifecycle_controller.go:1044] "Controller detected that zone is now in new state" zone="a" newState="Normal"',
  'nvidia-persistenced[5]: device 0000:9b:00.0 - persistence mode enabled.',
  'kubelet[5]: I1128 12:00:24.488085 5711 eviction_manager.go:193] "Eviction manager: starting control loop"',
  'kubelet[5]: I1128 12:00:24.488085 5711 eviction_manager.go:300] eviction manager: no resources are starved',
  'kubelet[5]: I1128 12:00:24.488085 5711 helpers.go:851] eviction manager: observations: signal=memory.available, available: 60Gi, capacity: 62Gi, time: 2026-11-28',
  'kubelet[5]: E1128 12:00:24.488085 5711 eviction_manager.go:255] "Eviction manager: failed to get summary stats" err="failed to get node info: node not found"',
  'slurmctld[5]: debug:  Node gx-12 has 3 running jobs',
  'slurmctld[5]: error: Node gx-12 appears to have a different slurm.conf than the slurmctld.',
  'nvidia-device-plugin[5]: I1128 12:00:24.488085 1 health.go:159] Skipping event {Device:{} EventType:8 EventData:31}',
  'containerd[5]: time="2026-11-30T12:04:11.812345678Z" level=info msg="RunPodSandbox for &PodSandboxMetadata{Name:train-0,Uid:8a1b,Namespace:ml,Attempt:0,} returns sandbox id"',
  'containerd[5]: time="2026-11-30T12:04:11.812345678Z" level=info msg="shim disconnected" id=9f8e7d namespace=k8s.io',
  'containerd[5]: time="2026-11-30T12:04:11.812345678Z" level=error msg="failed to load cni during init, please check CRI plugin status before setting up network for pods" error="cni config load failed: no network config found in /etc/cni/net.d: cni plugin not initialized: failed to load cni config"',
  'containerd[5]: time="2026-11-30T12:04:11.812345678Z" level=info msg="cleaning up /var/lib/containerd: 12 GB of space left on device"',
  'dockerd[5]: time="2026-11-30T12:04:11.812345678Z" level=info msg="Attempting next endpoint for pull after error: manifest unknown"',
  'dockerd[5]: failed to start daemon: pid file found, ensure docker is not running or delete /var/run/docker.pid',
  'crio[5]: time="2026-11-30 12:04:11.812345678Z" level=info msg="Got pod network &{Name:train-0 Namespace:ml ID:1a2b}"',
  'kubelet[5]: E1130 12:04:11.812345 2212 nestedpendingoperations.go:348] Operation for "{volumeName:x podName: nodeName:}" failed. No retries permitted until 2026-11-30 12:04:12 +0000 UTC (durationBeforeRetry 500ms). Error: MountVolume.SetUp failed for volume "pvc-1" : configmap not found',
  'nvidia-operator-validator[5]: time="2026-11-30T12:04:11Z" level=info msg="GPU resources are not yet discovered by the node, retry: 3"',
  'calico-node[5]: 2026-11-30 12:04:11.812 [INFO][61] felix/int_dataplane.go 1836: Applying dataplane updates',
  'cilium-agent[5]: level=warning msg="Regeneration of endpoint failed" endpointID=782 subsys=endpoint',
  'multus[5]: 2026-11-30T12:04:11Z [verbose] Add: ml:train-0:8a1b:rdma-net(rdma-net):net1 {"cniVersion":"1.0.0"}',
  'csi-driver[5]: E1130 12:04:11.812345 1 utils.go:111] GRPC error: rpc error: code = NotFound desc = volume 12 is not there',
  'etcd[5]: apply request took too long',
  'etcd[5]: serving /health true',
  'etcd[5]: opened WAL',
  'talos[5]: service[kubelet](Running): Health check successful',
  'opensm[5]: Nov 30 12:04:11 812345 [A1B2C3D4] 0x01 -> log_trap_info: Received Generic Notice type:4 num:144 (Capability Mask) Producer:1 (Channel Adapter) from LID:12 TID:0x0000000000000812',
  'opensm[5]: Nov 30 12:04:11 812345 [A1B2C3D4] 0x02 -> SUBNET UP',
  'systemd-journald[5]: File /var/log/journal/8a1b/user-1000.journal corrupted or uncleanly shut down, renaming and replacing.',
  'systemd-journald[5]: Suppressed 812 messages from kubelet.service',
  'rasdaemon[5]: Poison page statistics are read every 30 s',
  'mcelog[5]: Offlining page 1f4a2c3000',
  'smartd[5]: Device: /dev/sdb [megaraid_disk_03] [SAT], 0 Currently unreadable (pending) sectors',
  'nv-fabricmanager[5]: multicast group 3 is allocated.',
  "nvidia-device-plugin[5]: 2026/11/28 12:00:24 Registered device plugin for 'nvidia.com/gpu' with Kubelet",
];

test('on an ordinary day the same programs report nothing', () => {
  for (const line of ORDINARY) assert.deepEqual([logged(line), own(line)], [[], []], line);
});

test('a UPS on battery is one transfer, however many lines say so, until the mains are back', () => {
  const detection = new TextDetection('node-1');
  const events = [
    'apcupsd[811]: Power failure.',
    'apcupsd[811]: Running on UPS batteries.',
    'apcupsd[811]: Mains returned. No longer on UPS batteries.',
  ].flatMap((text, i) => {
    const record = kernelRecord(text, i, START_MS + 6000 * i);
    return detection.decode({ ...record, attributes: { ...record.attributes, facility: 3 } }).events;
  });
  assert.deepEqual(
    events.map(({ kind, state = 'point', count = 1 }) => [kind, state, count]),
    [
      ['power.source_transfer', 'point', 1],
      ['power.source_transfer', 'point', 1],
      ['power.source_transfer', 'clear', 1],
    ],
  );
  for (const line of ['Power is back. UPS running on mains.', 'Mains returned. No longer on UPS batteries.'])
    assert.deepEqual(
      bareFindings(line, 'node-1')?.map(({ state }) => state),
      ['clear'],
      line,
    );
  assert.deepEqual(
    bareFindings('UPS rack4@localhost on line power', 'node-1')?.map(({ state }) => state),
    ['clear'],
  );
});

test("a UPS's own card: its log as it is saved, with the person and the code of the event", () => {
  for (const line of [
    'UPS: Outlet Group 3, Printer, turned off due to line fail.',
    '10/11/2016 05:45:35 Device UPS: Outlet Group 3, Printer, turned off due to line fail. 0x0174',
    '10/11/2016\t05:45:35\tDevice\tUPS: Outlet Group 3, Printer, turned off due to line fail.\t0x0174',
  ])
    assert.deepEqual(own(line), ['power.outlet_off'], line);
  assert.deepEqual(own('UPS: Outlet Group 3, Printer, turned off due to user control.'), []);
});

test('the device plugin: what an XID is, of the GPU that it names, as old and new releases and that of GKE word it', () => {
  const gpu = 'GPU-7540a9b3-eeb9-1214-1526-f93c9ea826a8';
  const found = (line: string): (readonly [string, string])[] =>
    (new ProgramLog('node-1').take(line)?.findings ?? []).map(({ kind, component }) => [kind, `${component?.type}/${component?.id}`] as const); // biome-ignore format: one row
  for (const [line, ...expected] of [
    [`2026/11/28 12:00:24 XidCriticalError: Xid=79 on Device=${gpu}, the device will go unhealthy.`, 'gpu.lost', `gpu/${gpu}`],
    [`2026/11/28 12:00:24 XidCriticalError: Xid=69 on GPU=${gpu}, the device will go unhealthy.`, 'gpu.app_fault', `gpu/${gpu}`],
    [`I1128 12:00:24.488085       1 health.go:190] XidCriticalError: Xid=79 on Device=${gpu}; marking device as unhealthy.`, 'gpu.lost', `gpu/${gpu}`],
    [`E1128 12:00:24.488085       1 health_checker.go:160] XidCriticalError: Xid=79 on Device=nvidia0, uuid=${gpu}, the device will go unhealthy.`, 'gpu.lost', `gpu/${gpu}`],
    ['2026/11/28 12:00:24 XidCriticalError: Xid=79, All devices will go unhealthy.', 'gpu.lost', 'host/node-1'],
  ] as const) assert.deepEqual(found(line), [expected], line); // biome-ignore format: one row each
});

test('slurmctld: a node that registers with less than is configured, in the words of each release', () => {
  for (const line of [
    '[2021-12-14T09:52:21.414] debug:  Node gx-12 has low real_memory size (435161 < 443596)',
    '[2021-12-14T09:52:21.414] debug:  Node gx-12 has low real_memory size (435161 / 443596) < 100.00%',
    '[2014-12-14T09:52:21.414] error: Node gx-12 has low real_memory size 435161',
    '[2021-12-14T09:52:21.414] error: Node gx-12 has low socket*core*thread count (64 < 128)',
    '[2021-12-14T09:52:21.414] debug:  Node gx-12 has low tmp_disk size (10 < 7000000)',
  ])
    assert.deepEqual(own(line), ['host.part_missing'], line);
});

const CEPH_SPACE = [
  ['2026-11-29T04:40:02.112233+0000 mon.stor-01 (mon.0) 8899 : cluster [ERR] Health check failed: 1 full osd(s) (OSD_FULL)', 'storage.full', 'stor-01'],
  ['2026-11-29T04:10:02.112233+0000 mon.stor-01 (mon.0) 8811 : cluster [WRN] Health check failed: 1 nearfull osd(s) (OSD_NEARFULL)', 'storage.filling', 'stor-01'],
  // A monitor by a letter: no host is called so.
  ['2026-11-29T04:40:02.112300+0000 mon.a (mon.0) 8900 : cluster [WRN] Health check failed: 2 pool(s) full (POOL_FULL)', 'storage.full', 'node-1'],
  ['[ERR] OSD_FULL: 1 full osd(s)', 'storage.full', 'node-1'],
  ['[WRN] POOL_FULL: 2 pool(s) full', 'storage.full', 'node-1'],
  ['[WRN] POOL_NEAR_FULL: 2 pools nearfull', 'storage.filling', 'node-1'],
  ['[WRN] OSD_BACKFILLFULL: 2 backfillfull osd(s)', 'storage.filling', 'node-1'],
  ['[WRN] OSDMAP_FLAGS: noout,full flag(s) set', 'storage.full', 'node-1'],
  ['[ERR] PG_DAMAGED: Possible data damage: 1 pg inconsistent', 'storage.io_error', 'node-1'],
] as const; // biome-ignore format: one case a line

for (const [line, kind, host] of CEPH_SPACE) {
  test(`Ceph without space has a kind of its own, on the host of its monitor: ${line.slice(0, 90)}`, () => {
    const [found] = new ProgramLog('node-1').take(line)?.findings ?? [];
    assert.deepEqual([found?.kind, found?.component], [kind, { type: 'host', id: host }]);
  });
}

test('a port of a switch or a filer, and a job of a scheduler, are what their lines are of', () => {
  const of = (line: string) =>
    new ProgramLog('node-1')
      .take(line)
      ?.findings.map(({ component, state }) => [component?.type, component?.id, component?.host, state]);
  assert.deepEqual(of('[filer-01: kernel: netif.linkDown:info]: Ethernet e0c: Link down, check cable.'), [['nic', 'e0c', 'filer-01', 'onset']]); // biome-ignore format: one line
  assert.deepEqual(of(':- updatePortOperStatus: Port Ethernet32 oper state set from down to up'), [['nic', 'Ethernet32', 'node-1', 'clear']]); // biome-ignore format: one line
  assert.deepEqual(of('[2026-11-28T12:00:00.123] _job_complete: JobId=4411 WTERMSIG 9'), [['job', '4411', undefined, undefined]]); // biome-ignore format: one line
});

test('a module of the NVIDIA driver that Talos cannot load is reported; one of a disk driver is not of a GPU', () => {
  const failed = (module: string) => `talos: controller failed {"component": "controller-runtime", "error": "error loading module \\x5c"${module}\\x5c": load ${module} failed: key was rejected by service"}`; // biome-ignore format: one line
  assert.deepEqual(logged(failed('nvidia_uvm')), ['gpu.driver_unsupported']);
  assert.deepEqual(logged(failed('drbd')), []);
});
