// A must-gather of several hosts in one archive: reports and logs of each, mixed, to the incidents of each host.

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { scan } from './scan-here.ts';

const FILES = {
  'mg/nodes/gx-07/dmesg': '[  100.5] NVRM: Xid (PCI:0000:3b:00): 79, pid=1, name=python, GPU has fallen off the bus.\n',
  'mg/nodes/gx-07/lspci.txt':
    '3b:00.0 3D controller: NVIDIA Corporation GH100 [H100 SXM5 80GB] (rev ff) (prog-if ff)\n\t!!! Unknown header type 7f\n',
  'mg/nodes/gx-08/dmesg': '[  100.5] EXT4-fs (nvme0n1p2): mounted filesystem with ordered data mode.\n',
  'mg/nodes/gx-08/ipmi/sdr.txt':
    'CPU1 Temp        | 42 degrees C      | ok\nFAN4             | 0 RPM             | cr\n',
  'mg/nodes/gx-08/network/ethtool_-S_ens1': 'NIC statistics:\n     rx_packets: 12\n     rx_crc_errors_phy: 0\n',
};

function gathered(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'faultline-gather-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  for (const [path, text] of Object.entries(FILES)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  return folder;
}

interface Incident {
  readonly host: string;
  readonly root: { readonly kind: string };
  readonly evidence: readonly { readonly place?: string }[];
}

async function incidentsIn(path: string): Promise<(readonly [string, string])[]> {
  const { status, stdout, stderr } = await scan(['--json', path]);
  assert.equal(status, 0, stderr);
  const { incidents } = JSON.parse(stdout) as { incidents: Incident[] };
  return incidents.map(({ host, root }) => [host, root.kind] as const).sort();
}

const RIGHT = [['gx-07', 'gpu.lost'], ['gx-08', 'host.fan_failure']]; // biome-ignore format: one line

test('a folder, and the archive of it however it is packed, give the same incidents of each host', async (t) => {
  const folder = gathered(t);
  assert.deepEqual(await incidentsIn(join(folder, 'mg')), RIGHT);
  for (const [option, ending] of [
    ['--gzip', 'tar.gz'],
    ['--xz', 'tar.xz'],
    ['', 'tar'],
  ] as const) {
    // biome-ignore format: one line
    const archive = join(folder, `mg.${ending}`);
    const made = spawnSync('tar', [...(option === '' ? [] : [option]), '-cf', archive, '-C', folder, 'mg']);
    if (made.status !== 0) {
      t.diagnostic(`not tried: ${ending}, which tar cannot make here`);
      continue;
    }
    assert.deepEqual(await incidentsIn(archive), RIGHT, ending);
  }
});

test('evidence says in which file and line it is', async (t) => {
  const { stdout } = await scan(['--json', gathered(t)]);
  const { incidents } = JSON.parse(stdout) as { incidents: Incident[] };
  const lost = incidents.find(({ root }) => root.kind === 'gpu.lost');
  const places = lost?.evidence.map(({ place }) => place?.replace(/^.*\/nodes\//, ''));
  assert.deepEqual(places?.sort(), ['gx-07/dmesg:1', 'gx-07/lspci.txt:1']);
});
