// What a scan says of a corrupt InfoROM, whichever tool reports it: to have it flashed, and no diagnosis of a card.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { scannedLogs } from './scanned.ts';

test('by nvidia-smi', async (t) => {
  const text = await scannedLogs(t, { 'hx-81-smi.txt': ['WARNING: infoROM is corrupted at gpu 0000:5E:00.0'] });
  assert.match(text, /Root cause {2}unclassified GPU fault on hx-81 gpu 0000:5e:00\.0: corrupt InfoROM\n/);
  assert.match(text, /Do {10}have the corrupt InfoROM of hx-81 gpu 0000:5e:00\.0 flashed/);
  assert.match(text, /Call {8}the support of the vendor of hx-81\n/);
});

test("by DCGM, of a GPU by DCGM's number", async (t) => {
  const text = await scannedLogs(t, {
    'hx-82-health.txt': [
      '| Health Monitor Report                                                                  |',
      '+===========================+============================================================+',
      '| -> 6                      | Failure                                                    |',
      '|       -> InfoROM system   | Failure                                                    |',
      '|                           | A corrupt InfoROM has been detected in GPU 6. Flash the    |',
      '|                           | InfoROM to clear this corruption.                          |',
      '+---------------------------+------------------------------------------------------------+',
    ],
  });
  assert.match(text, /INCIDENT \w+ {3}error /);
  assert.match(text, /Do {10}have the corrupt InfoROM of GPU 6 of hx-82 flashed/);
});
