// The host of a terminal: which text that was pasted with its prompt says of which machine it is.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { typedOn } from '../../../src/commands/scan/typed-on.ts';
import { scannedLogs } from './scanned.ts';

test('the prompt before a command that asks its own machine names that machine', () => {
  assert.equal(typedOn('root@gx-81:~# nvidia-smi\nMon Nov 30'), 'gx-81');
  assert.equal(typedOn('\n[root@gx-82 ~]# sudo dmesg -T | tail\r\n[Mon Nov 30'), 'gx-82');
  assert.equal(typedOn('(base) ann@gx-83:/tmp$ sudo dcgmi health -g 0 -c\n'), 'gx-83');
  assert.equal(typedOn('root@gx-81:~# nvidia-smi\n\nroot@gx-81:~# sudo dmesg\n'), 'gx-81');
});

test('a prompt says nothing of what is asked of others, nor one of several hosts, of a container, or behind other lines', () => {
  for (const text of [
    'root@login1:~# kubectl get nodes\n',
    'root@login1:~# ssh gx-81 nvidia-smi\n',
    'root@mgmt1:~# ipmitool -I lanplus -H gx-81-bmc sel list\n',
    'root@log1:~# journalctl -D /srv/gx-81\n',
    'root@gx-81:~# nvidia-smi\n\nroot@gx-82:~# nvidia-smi\n',
    'root@4f0c1d2e3a4b:/workspace# nvidia-smi\n',
    'Mon Nov 30\nroot@gx-81:~# nvidia-smi\n',
    '',
  ])
    assert.equal(typedOn(text), null, text);
});

test('a table that was pasted with its prompt is of that host, in what to do as well', async (t) => {
  const text = await scannedLogs(t, {
    'paste.txt': [
      '[root@gx-84 ~]# amd-smi metric --ecc',
      'GPU: 2',
      '    ECC:',
      '        TOTAL_CORRECTABLE_COUNT: 0',
      '        TOTAL_UNCORRECTABLE_COUNT: 5',
      '        TOTAL_DEFERRED_COUNT: 0',
    ],
  });
  assert.match(text, /Do +drain the jobs from GPU 2 of gx-84/);
  assert.match(text, /nodename=gx-84/);
  assert.doesNotMatch(text, /the host of|no line names/);
});

test('of two that were pasted next to each other each is of its own', async (t) => {
  const table = (host: string) => [`root@${host}:~# amd-smi metric --ecc`, 'GPU: 2', '    ECC:', '        TOTAL_UNCORRECTABLE_COUNT: 5']; // biome-ignore format: one line
  const text = await scannedLogs(t, { 'a.txt': table('gx-85'), 'b.txt': table('gx-86') });
  assert.match(text, /nodename=gx-85/);
  assert.match(text, /nodename=gx-86/);
});
