// A report does not say against itself: what its effect says ended is not called unseen, and nothing is ruled out that was not looked at.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { scannedLogs } from './scanned.ts';

test('a process that the effect names is not what the pattern has not seen', async (t) => {
  const text = await scannedLogs(t, {
    'kern.log': [
      'Nov 28 02:55:10 nd-7 kernel: NVRM: Xid (PCI:0000:3a:00): 94, pid=5512, name=python, Contained: SM (0x1). RST: No, D-RST: No',
      'Nov 28 02:55:10 nd-7 kernel: NVRM: Xid (PCI:0000:3a:00): 63, pid=5512, name=python, Row Remapper: New row (0x0000000000ab0c11) marked for remapping, reset gpu to activate.',
    ],
  });
  assert.match(text, /Effect +process python \(5512\) ended/);
  assert.match(text, /Pattern +Uncorrectable GPU memory error/);
  assert.doesNotMatch(text, /not seen: [^)]*process/);
});

test('no XID is ruled out by the log of a UPS', async (t) => {
  const text = await scannedLogs(t, {
    'ups.log': ['Nov 28 04:40:12 ups-3 UPS: On battery power in response to an input power problem.'],
  });
  assert.match(text, /INCIDENT/);
  assert.doesNotMatch(text, /no XID/);
});

test('fans that failed together are counted without the GPU that got hot by them', async (t) => {
  const text = await scannedLogs(t, {
    'sel-nd-7.txt': [
      ' a1 | 11/27/2026 | 14:20:31 | Fan FAN5 | Lower Critical going low  | Asserted | Reading 0 < Threshold 500 RPM',
      ' a2 | 11/27/2026 | 14:20:31 | Fan FAN6 | Lower Critical going low  | Asserted | Reading 0 < Threshold 500 RPM',
    ],
    'nvidia-smi-q-nd-7.txt': [
      '==============NVSMI LOG==============',
      '',
      'Timestamp                                 : Fri Nov 27 14:31:07 2026',
      'Attached GPUs                             : 1',
      'GPU 00000000:D1:00.0',
      '    Clocks Event Reasons',
      '        HW Slowdown                       : Active',
      '            HW Thermal Slowdown           : Active',
      '    Temperature',
      '        GPU Current Temp                  : 91 C',
    ],
  });
  assert.doesNotMatch(text, /[3-9] places reacted together/, text);
  assert.match(text, /2 places reacted together/);
});
