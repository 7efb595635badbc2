// Work that reached its own limit of memory: what that limit was, how much was used, and commands with the namespace.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { scannedLogs } from './scanned.ts';

const POD = [
  'Name:             embed-0',
  'Namespace:        search',
  'Node:             ai-52/10.9.0.52',
  'Status:           Running',
  'Containers:',
  '  proxy:',
  '    State:          Running',
  '    Restart Count:  0',
  '    Limits:',
  '      memory:  512Mi',
  '  tei:',
  '    State:          Running',
  '      Started:      Fri, 27 Nov 2026 08:12:01 +0000',
  '    Last State:     Terminated',
  '      Reason:       OOMKilled',
  '      Exit Code:    137',
  '      Finished:     Fri, 27 Nov 2026 08:11:40 +0000',
  '    Ready:          True',
  '    Restart Count:  3',
  '    Limits:',
  '      memory:          24Gi',
  '      nvidia.com/gpu:  1',
  '    Requests:',
  '      memory:          8Gi',
  'Conditions:',
  '  Type   Status',
  '  Ready  True',
  'Events:',
  '  Type     Reason   Age                  From     Message',
  '  Warning  BackOff  3m (x12 over 40m)    kubelet  Back-off restarting failed container tei in pod embed-0_search(31a2)',
];

test('a container: its own limit, how often, and how to ask for its log', async (t) => {
  const text = await scannedLogs(t, { 'pod.txt': POD });
  assert.match(
    text,
    /Do +give pod search\/embed-0 more memory, or let it load less: container tei reached its limit of 24Gi, restarted 3 times/,
  );
  assert.match(text, /Now +kubectl logs embed-0 -n search -c tei --previous/);
  assert.match(text, /seen [\d-]+ 08:11:40/);
  assert.match(text, /1 incident out of/);
});

test('the same at the end of the text, and without a limit in it', async (t) => {
  const text = await scannedLogs(t, { 'pod.txt': POD.slice(0, 19) });
  assert.match(text, /container tei reached its limit, restarted 3 times/);
});

test('a job that Slurm ended: what it asked for, and what its steps used', async (t) => {
  const text = await scannedLogs(t, {
    'sacct.txt': [
      'JobID|State|ReqMem|MaxRSS|NodeList|End|ExitCode',
      '6120|OUT_OF_MEMORY|180Gn||ai-52|2026-11-27T08:11:40|0:125',
      '6120.batch|COMPLETED||2412K|ai-52|2026-11-27T08:11:40|0:0',
      '6120.0|OUT_OF_MEMORY||172.5G|ai-52|2026-11-27T08:11:40|0:125',
      '6121|OUT_OF_MEMORY|4G||ai-53|2026-11-27T09:11:40|0:125',
    ],
  });
  assert.match(text, /Do +give job 6120 more memory than the 180G that it asked for/);
  assert.match(text, /Now +it used 172\.5 GiB at most/);
  assert.match(
    text,
    /Do +give job 6121 more memory than the 4G.*Now +sacct -j 6121 --format=JobID,State,ReqMem,MaxRSS/s,
  );
  assert.match(text, /Call +who runs job 6120/);
});
