// Reports of strangers: whatever the lines are, the readers take them or leave them, name no device that is not in them, and never throw.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { Reports } from '../../../../src/detection/text/report/reports.ts';
import { runs } from '../../../runs.ts';

const LINES = [
  '3b:00.0 3D controller: NVIDIA Corporation GH100 (rev ff)',
  '\tBus: primary=00, secondary=3b, subordinate=3b, sec-latency=0',
  '\t\tLnkCap:\tPort #0, Speed 32GT/s, Width x16, ASPM L1',
  '\t\tLnkSta:\tSpeed 8GT/s (downgraded), Width x8 (downgraded)',
  '\t\tUESta:\tDLP+ SDES- TLP+ FCP- CmpltTO+',
  '\t\t\tECRC+ UnsupReq+',
  '| Diagnostic                | Result                                         |',
  '| Health Monitor Report                                                      |',
  '| memory                    | Fail - GPUs: 0, 3                              |',
  '|                           | GPU3: Fail                                     |',
  '| Warning: GPU3             | GPU 3 has fallen off the bus                   |',
  '+---------------------------+------------------------------------------------+',
  'NIC statistics:',
  '     rx_crc_errors_phy: 999999',
  'bus-info: 0000:5d:00.0',
  '\tIdentifier                                : 0x11 (QSFP28)',
  '\tModule temperature high alarm             : On',
  'PS2 Status       | C9h | ok  | 10.2 | Power Supply AC lost',
  'FAN4             | 0 RPM             | cr',
  '                  "warning" : "Detected XID 79 for GPU 1",',
];
const part = fc.oneof(fc.constantFrom(...LINES), fc.string({ maxLength: 80 }), fc.constantFrom(' ', '|', '-', '\t', ':').map((one) => one.repeat(5000))); // biome-ignore format: one line
/** A line, one cut short, or one within another. */
const line = fc.oneof(
  part,
  fc.tuple(part, fc.nat(100)).map(([text, at]) => text.slice(0, at)),
  fc.tuple(part, part, fc.nat(40)).map(([text, other, at]) => text.slice(0, at) + other),
);

test('any lines in any order', () => {
  fc.assert(
    fc.property(fc.array(line, { maxLength: 60 }), (lines) => {
      const reports = new Reports('node-1', 'ethtool_-S_eth0');
      const text = lines.join('\n').toLowerCase();
      for (const each of lines) {
        for (const { component } of reports.take(each)?.findings ?? []) {
          if (component === null || component.type === 'host') continue;
          assert.ok(
            text.includes(
              component.id
                .replace(/^(?:0000:|node-1\/)/, '')
                .slice(0, 5)
                .toLowerCase(),
            ),
            component.id,
          );
        }
      }
    }),
    { numRuns: runs(300, 20_000) },
  );
});
