// Lines of drivers by catalog/device-lines.json: each row reads its example alone, and none that quotes it or is of another driver.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DEVICE_ROWS } from '../../../src/detection/text/kernel/device-line.ts';
import { decodeKernelLine, kernelContext } from '../../../src/detection/text/kernel.ts';
import { isKind } from '../../../src/model/kind.ts';
import { SEVERITIES } from '../../../src/model/severity.ts';
import { kernelRecord } from './lines.ts';

function reported(line: string): string[] {
  return decodeKernelLine(kernelRecord(line), kernelContext('node-1')).map(
    ({ kind, component }) => `${kind} ${component?.type}`,
  );
}

for (const { drivers, words, example, place, kind, severity } of DEVICE_ROWS)
  test(`"${example.slice(0, 80)}" is ${kind}`, () => {
    assert.ok(isKind(kind) && (severity === undefined || SEVERITIES.includes(severity)));
    assert.deepEqual(reported(example), [`${kind} ${place}`]);
    assert.ok(
      words.some((word) => example.includes(word)),
      'a word of the list is in it',
    );
    for (const quote of [`looking for "${example}"`, `# ${example}`, `python3[12]: ${example}`, `${example} was fixed`])
      if (quote !== example && !/[.}*]$/.test(quote))
        assert.deepEqual(
          reported(quote).filter(() => !quote.endsWith('fixed')),
          [],
          quote,
        );
    if (!drivers.includes('*')) assert.deepEqual(reported(example.replace(/^[\w-]+/, 'snd_hda_intel')), []);
  });

/** What the same drivers print on an ordinary day. */
const ORDINARY = [
  'ixgbe 0000:03:00.0: Multiqueue Enabled: Rx Queue Count = 63, Tx Queue Count = 63 XDP Queue count = 0',
  'ice 0000:4b:00.0: The DDP package was successfully loaded: ICE OS Default Package version 1.3.30.0',
  'ice 0000:4b:00.0: PTP init successful',
  'i40e 0000:3b:00.0: fw 9.120.73026 api 1.15 nvm 9.20 0x8000d8c5 0.0.0',
  'megaraid_sas 0000:3b:00.0: FW now in Ready state',
  'megaraid_sas 0000:3b:00.0: NVME page size: (4096)',
  'smartpqi 0000:5c:00.0: added 0:1:0:0 5000c500 Direct-Access ATA',
  'habanalabs 0000:19:00.0: Successfully added device hl0 to habanalabs driver',
  'habanalabs 0000:19:00.0: HBM0 pc(0) interrupts info: WR_PAR=0, RD_PAR=0, CA_PAR=0, SERR=1, DERR=0',
  'i915 0000:03:00.0: [drm] GuC firmware i915/dg2_guc_70.bin version 70.20.0',
  'i915 0000:03:00.0: [drm] GT0: GuC: submission enabled',
  'pci 0000:43:00.0: not ready 1023ms after FLR; waiting',
  'pcieport 0000:42:01.0: AER: device recovery successful',
  'mlx4_core 0000:06:00.0: PCIe link speed is 8.0GT/s, device supports 8.0GT/s',
  'gve 0000:00:05.0: Device link is up.',
  'ice 0000:b1:00.0 rocep177s0f0: abnormal ae_id = 0x501 bool qp=1 qp_id = 1024, ae_src=5',
  'mlx5_core 0000:17:00.0: lag map: port 1:1 port 2:2',
  'bnxt_en 0000:41:00.0 ens2f0np0: FEC autoneg off encoding: Clause 91 RS(544,514)',
  'ena 0000:00:05.0: Device reset completed successfully',
  'bnxt_en 0000:41:00.0 ens2f0np0: Firmware reset done',
  'megaraid_sas 0000:01:00.0: 24875 (786912399s/0x0020/info) - VD 00/0 is now OPTIMAL',
  'smartpqi 0000:5c:00.0: Online Firmware Activation: SUCCESS',
  'amdgpu 0000:c1:00.0: amdgpu: XGMI: Add node 1, hive 0x9a8b7c6d5e.',
  'i40e 0000:18:00.0: VSI seid 390 Tx ring 12 enabled',
];

test('on an ordinary day the same drivers report nothing', () => {
  for (const line of ORDINARY) assert.deepEqual(reported(line), [], line);
});
