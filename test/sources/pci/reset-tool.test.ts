// The reset tool: only root's own, only while it resets; and what the PCI source makes of it.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SmallFiles } from '../../../src/sources/files/small-files.ts';
import { PciSource } from '../../../src/sources/pci/pci-source.ts';
import { resetTool } from '../../../src/sources/pci/reset-tool.ts';
import { FakeSys, Seen, until } from '../fake-sys.ts';

const status = (uid: number) => `Name:\tx\nUid:\t1000\t${uid}\t${uid}\t${uid}\n`;
const words = (...all: string[]) => [...all, ''].join('\0');

test('nvidia-smi of root that resets GPUs, or sets their MIG mode; nothing else', async (t) => {
  const host = new FakeSys(t);
  const cases: [string, string, number, string | null][] = [
    ['nvidia-smi', words('nvidia-smi', '--gpu-reset', '-i', '4'), 0, 'nvidia-smi --gpu-reset -i 4'],
    ['nvidia-smi', words('/usr/bin/nvidia-smi', '-i', '0', '-r'), 0, 'nvidia-smi -i 0 -r'],
    ['nvidia-smi', words('nvidia-smi', '-mig', '1'), 0, 'nvidia-smi -mig 1'],
    ['nvidia-smi', words('nvidia-smi', '--gpu-reset'), 1000, null],
    ['nvidia-smi', words('nvidia-smi', '-q', '-d', 'POWER'), 0, null],
    ['nvidia-smi', words('nvidia-smi'), 0, null],
    ['nvidia-smi', '', 0, null],
    ['python3', words('python3', '--gpu-reset'), 0, null],
  ];
  for (const [comm, cmdline, uid, command] of cases) {
    host.write('proc/77', { comm, cmdline, status: status(uid) });
    const found = await resetTool(new SmallFiles(), host.proc);
    assert.deepEqual(found, command === null ? null : { pid: 77, command });
  }
  host.remove('proc/77');
  assert.equal(await resetTool(new SmallFiles(), host.proc), null);
  assert.equal(await resetTool(new SmallFiles(), `${host.proc}/none`), null);
});

test('a GPU that goes missing while root resets it is reported as reset first, once; one before is not', async (t) => {
  const host = new FakeSys(t);
  const gpus = ['0000:1b:00.0', '0000:29:00.0', '0000:45:00.0'];
  for (const address of gpus) {
    host.pci(address, { vendor: '0x10de', class: '0x030200' }, 'nvidia');
    host.write(`proc/driver/nvidia/gpus/${address}`, { information: 'Model: NVIDIA H100' });
  }
  host.remove(`proc/driver/nvidia/gpus/${gpus[0]}`);
  const seen = new Seen();
  let nowMs = 0;
  const now = () => (nowMs += 1000); // biome-ignore format: one line
  const source = new PciSource(
    { enabled: 'auto', intervalMs: 2 },
    { host: 'node-3', roots: { proc: host.proc, sys: host.sys }, library: () => null, now },
  );
  t.after(() => source.stop());
  source.start(seen, new AbortController().signal);
  await until('the one that nothing explains is reported', () => seen.events.length === 1);
  host.write('proc/77', { comm: 'nvidia-smi', cmdline: words('nvidia-smi', '--gpu-reset'), status: status(0) });
  host.remove(`proc/driver/nvidia/gpus/${gpus[1]}`);
  await until('the reset one is missing', () => seen.events.length === 3);
  assert.deepEqual(seen.reported, [`gpu.missing onset gpu/${gpus[0]}`, `gpu.reset point gpu/${gpus[1]}`, `gpu.missing onset gpu/${gpus[1]}`]); // biome-ignore format: one line
  const reset = seen.events[1];
  assert.deepEqual([reset?.attributes?.how, reset?.trust], ['tool', 'system']);
  assert.match(JSON.stringify(reset?.evidence), /nvidia-smi --gpu-reset runs as root \(pid 77\)/);
});
