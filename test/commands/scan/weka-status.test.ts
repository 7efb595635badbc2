// What a scan says of `weka status`: what its cluster lacks, and that no line has the time of the end of its licence.

import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { scannedLogs } from './scanned.ts';

const status = (t: TestContext, said: string): Promise<string> =>
  scannedLogs(t, {
    'weka.txt': [
      'WekaIO v4.4.1 (CLI build 4.4.1)',
      '',
      '       cluster: flash2 (0b3b1f0c-1234-4d0e-9a55-0c1d2e3f4a5b)',
      `        status: ${said}`,
      '       license: OK, valid thru 2031-01-01T00:00:00Z',
      '        alerts: 2 active alerts, use `weka alerts` to list them',
    ],
  });

test('a cluster that is not fully protected is named, with the commands of its own', async (t) => {
  const text = await status(t, 'PARTIALLY PROTECTED (5 backends UP, 40 drives UP)');
  assert.match(text, /storage cluster degraded on the host of weka.txt: flash2, PARTIALLY PROTECTED/);
  assert.match(text, /Do +see which backends or drives of WEKA flash2 are down/);
  assert.match(text, /Now +weka alerts; weka cluster container/);
  assert.doesNotMatch(text, /ceph/);
  assert.doesNotMatch(text, /newer than the file|2031-01-01, UTC/);
});

test('one that is right gives no incident, and its licence sets no clock', async (t) => {
  const text = await status(t, 'OK (6 backends UP, 48 drives UP)');
  assert.match(text, /No incident/);
  assert.doesNotMatch(text, /newer than the file/);
});

test('a backend that an alert in the same text names is the one to look at', async (t) => {
  const text = await scannedLogs(t, {
    'weka.txt': [
      'WekaIO v4.4.1 (CLI build 4.4.1)',
      '       cluster: flash2 (0b3b1f0c-1234-4d0e-9a55-0c1d2e3f4a5b)',
      '        status: DEGRADED (15 backends UP, 1 DOWN)',
      '2026-11-29 05:00:12: NodeDisconnected: host st-back-11 lost its connection',
    ],
  });
  assert.match(text, /Do +see whether st-back-11 is up, a backend of WEKA flash2/, text);
  assert.match(text, /Now +ping -c 3 st-back-11; ssh st-back-11 uptime; there, weka local ps/);
});
