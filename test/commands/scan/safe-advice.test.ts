// What a report tells to do harms nothing that still works: power and resets wait for an idle host, and no part is touched that is not there.

import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { scannedLogs } from './scanned.ts';

/** The text of the report in lines that are not broken. */
const scanned = (t: TestContext, name: string, lines: readonly string[]): Promise<string> =>
  scannedLogs(t, { [name]: lines });

test('for one GPU that does not start the host is rebooted once it is empty, and its power comes last', async (t) => {
  const text = await scanned(t, 'dmesg-gx-72.txt', [
    '[Mon Nov 30 08:00:00 2026] NVRM: GPU 0000:c8:00.0: RmInitAdapter failed! (0x62:0x40:2393)',
  ]);
  assert.match(text, /Do +reboot gx-72 once nothing runs there; take its power away only/);
  assert.match(
    text,
    /Now .*once nothing runs on gx-72, save .*reboot it: sudo systemctl reboot\b.*[Ww]here .*power cycle/s,
  );
});

test('a GPU that nvidia-smi cannot reach is missing, and the host is rebooted once it is empty', async (t) => {
  const line = 'Unable to determine the device handle for GPU0000:9B:00.0: Unknown Error';
  const text = await scanned(t, 'nvidia-smi.txt', [line]);
  assert.match(text, /Root cause +GPU missing on gpu 0000:9b:00\.0/);
  assert.match(text, /once nothing runs on .*sudo systemctl reboot/);
  assert.doesNotMatch(text, /chassis power cycle/);
});

test('a row remap that waits for a reset ends no work', async (t) => {
  const xid =
    "Nov 30 08:05:00 gx-73 kernel: NVRM: Xid (PCI:0000:cb:00): 63, pid='<unknown>', name=<unknown>, Row Remapper: New row (0x00000000051c1b00) marked for remapping, reset gpu to activate.";
  const asked = [
    '==============NVSMI LOG==============',
    'Timestamp                                 : Mon Nov 30 08:40:41 2026',
    'GPU 00000000:18:00.0',
    '    Remapped Rows',
    '        Uncorrectable Error               : 3',
    '        Pending                           : Yes',
  ];
  for (const text of [await scanned(t, 'messages', [xid]), await scanned(t, 'smi-gx-81.txt', asked)]) {
    assert.match(text, /Do +reset gx-\d\d gpu [\da-f:.]+ once it is idle: what runs on it may continue/);
    assert.match(text, /Now +end nothing: .*once nothing runs on gx-\d\d gpu .*--gpu-reset/s);
    assert.doesNotMatch(text, /end what runs/);
  }
});

test('inactive NVLinks have no cable: kernel log, fabric manager, a reset of all GPUs, then a case', async (t) => {
  const links = (down: number): string[] =>
    [0, 1, 2].map((link) => `\t Link ${link}: ${link === down ? '<inactive>' : '26.562 GB/s'}`);
  const gpu = (index: number): string =>
    `GPU ${index}: NVIDIA H100 80GB HBM3 (UUID: GPU-aaaaaaaa-0000-0000-0000-00000000000${index})`;
  const text = await scanned(t, 'nvlink.txt', [gpu(0), ...links(1), gpu(1), ...links(-1)]);
  assert.match(text, /Do +check the NVLinks of GPU 0 of that host/);
  assert.match(text, /Now .*xid\|sxid.*nvidia-fabricmanager.*once nothing runs on .*--gpu-reset\).*open a case/s);
  assert.doesNotMatch(text, /transceiver|optics/);
});

test('a host that shut itself down for heat is cooled first: one incident with what led to it, and since when it is off', async (t) => {
  const sel = await scanned(t, 'sel.txt', [
    '  1a | 11/30/26 | 03:02:11 UTC | Temperature #0x32 | Upper Critical going high | Asserted | Reading 48 > Threshold 47 degrees C',
    '  1b | 11/30/26 | 03:04:11 UTC | Processor #0x61 | Thermal Trip | Asserted',
    '  1c | 11/30/26 | 03:04:12 UTC | System ACPI Power State #0x05 | S4/S5: soft-off | Asserted',
  ]);
  assert.match(sel, /1 incident out of 2 events/);
  assert.match(sel, /Now +the host of sel\.txt is off since 03:04:11 UTC/);
  const kernel = await scanned(t, 'kernel.log', [
    'Nov 30 08:44:01 gx-88 kernel: thermal thermal_zone0: critical temperature reached (105 C), shutting down',
    'Nov 30 08:44:01 gx-88 kernel: reboot: Power down',
  ]);
  assert.match(kernel, /Effect +gx-88 shut itself down/);
  assert.match(kernel, /Do +cool gx-88, which shut itself down for heat, then power it on/);
  for (const text of [sel, kernel]) assert.doesNotMatch(text, /take work off/);
});

test('a card that its driver recovered is not reset; one that did not, or failed again, is, from where the login does not end with it', async (t) => {
  const line = (second: string, words: string): string =>
    `2026-11-30T08:10:${second}.000000+00:00 gx-75 kernel: mlx5_core 0000:0d:00.0: ${words}`;
  const failed = line(
    '00',
    'print_health_info:431:(pid 0): Health issue observed, firmware internal error, severity(3) ERROR:',
  );
  const open = await scanned(t, 'kern.log', [failed]);
  assert.match(
    open,
    /once nothing runs on gx-75, .*from the console of gx-75 in its BMC.*mlxfwreset -d 0000:0d:00\.0 /,
  );
  const recovered = line('12', 'mlx5_health_try_recover:368:(pid 811): health recovery succeeded');
  const over = await scanned(t, 'kern.log', [failed, recovered]);
  assert.match(over, /Root cause +NIC firmware fault on gx-75 nic 0000:0d:00\.0: its driver recovered it/);
  assert.match(over, /Do +reset nothing: [\s\S]*Now +it is back since 08:10:12 UTC/);
  assert.doesNotMatch(over, /mlxfwreset/);
  const again = await scanned(t, 'kern.log', [failed, recovered, line('40', 'handling bad device here')]);
  assert.match(again, /Do +reset gx-75 nic 0000:0d:00\.0 [\s\S]*mlxfwreset/);
});

test('a disk that is gone from a ZFS pool is replaced in that pool, and nothing is copied off it', async (t) => {
  const text = await scanned(t, 'zpool.txt', [
    '  pool: tank',
    ' state: DEGRADED',
    'config:',
    '\tNAME        STATE     READ WRITE CKSUM',
    '\ttank        DEGRADED     0     0     0',
    '\t    sdb     UNAVAIL      0     0     0  corrupted data',
  ]);
  assert.match(text, /Do +replace disk sdb in the pool tank /);
  assert.match(text, /Now .*zpool status -v tank.*zpool replace tank sdb NEW/s);
  assert.doesNotMatch(text, /copy off|smartctl/);
});

test('a daemon that crashed is looked at and started again; no BMC could confirm it', async (t) => {
  const text = await scanned(t, 'messages', [
    'Nov 30 09:01:00 gx-86 systemd[1]: slurmd.service: Main process exited, code=killed, status=11/SEGV',
    "Nov 30 09:01:00 gx-86 systemd[1]: slurmd.service: Failed with result 'signal'.",
  ]);
  assert.match(text, /Do +see why slurmd of gx-86 failed, and start it again/);
  assert.match(
    text,
    /systemctl status slurmd, journalctl -u slurmd .*coredumpctl list slurmd.*systemctl restart slurmd/,
  );
  assert.doesNotMatch(text, /BMC/);
});

test('a log that is called as those of Slurm are asks for the drain of Slurm alone', async (t) => {
  const lost = 'Nov 20 03:10:44 gx-72 kernel: [ 8123.5] NVRM: Xid (PCI:0000:c8:00): 79, GPU has fallen off the bus.';
  const crash = 'gx-72:71:72 [3] 2026-11-20 03:10:45 torch.AcceleratorError: CUDA error: unspecified launch failure';
  const drain = /Now +scontrol update nodename=gx-72 state=drain reason="faultline \w+"; once/;
  assert.match(await scannedLogs(t, { 'kern-gx-72.log': [lost], 'slurm-8812.out': ['2026-11-20 03:10:45 [rank3]: RuntimeError: CUDA error: unspecified launch failure', 'srun: error: gx-72: task 3: Exited with exit code 1'] }), drain); // biome-ignore format: one scan
  assert.match(
    await scannedLogs(t, { 'kern-gx-72.log': [lost, crash] }),
    /\(Slurm: scontrol.*; Kubernetes: kubectl cordon gx-72\)/,
  );
});
