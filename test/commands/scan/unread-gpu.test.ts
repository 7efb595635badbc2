// What a scan says of a GPU of which its own tool reads nothing: to look at the GPU, and not to start a program again.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { scannedLogs } from './scanned.ts';

test('by rocm-smi', async (t) => {
  const text = await scannedLogs(t, {
    'bx-14-rocm-smi.txt': [
      '============================ ROCm System Management Interface ============================',
      '====================================== Concise Info ======================================',
      'Device  Node  IDs              Temp        Power     Partitions          SCLK     MCLK     Fan  Perf  PwrCap  VRAM%  GPU%  ',
      '2       4     0x74a1,   51500  N/A         N/A       N/A, N/A, 0         None     None     0%   unknown  N/A  0%  0%',
      '================================== End of ROCm SMI Log ===================================',
    ],
  });
  assert.match(text, /Do {10}see why rocm-smi reads nothing of GPU 2 of bx-14/);
  assert.match(text, /Call {8}who runs bx-14\n/);
  assert.doesNotMatch(text, /checkpoint|application/);
});
