// Not reached: what NCCL's warnings say of an address that was not reached is the root, with the firewall of the host that turned it away.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { scannedLogs } from './scanned.ts';

const job = (words: string): string[] => [
  'ny-1:410:900 [1] NCCL INFO Bootstrap: Using eth2:192.0.2.10<0>',
  'ny-2:410:900 [0] NCCL INFO Bootstrap: Using eth2:192.0.2.11<0>',
  'ny-3:410:900 [0] NCCL INFO Bootstrap: Using eth2:192.0.2.12<0>',
  `ny-1:410:901 [1] misc/socket.cc:561 NCCL WARN ${words}`,
  'ny-1:410:901 [1] NCCL INFO bootstrap.cc:512 -> 2',
  'torch.distributed.DistBackendError: NCCL error in: /pytorch/torch/csrc/distributed/c10d/ProcessGroupNCCL.cpp:3356, unhandled system error (run with NCCL_DEBUG=INFO for details), NCCL version 2.26.2',
];

test('the address and port that a warning names, and what its answer means', async (t) => {
  for (const lead of ['ncclSocketConnect: Connect', 'socketStartConnect: Connect', 'Net : Connect']) {
    const text = await scannedLogs(t, { 'run.log': job(`${lead} to 192.0.2.11<40127> failed : No route to host`) });
    assert.match(text, /Root cause .*bootstrap timed out on run.*\(ny-1\)/);
    assert.match(text, /Do +find out why 192\.0\.2\.11 port 40127 was not reached by run: no route to host/);
    assert.match(text, /see the firewall of 192\.0\.2\.11/);
    assert.doesNotMatch(text, /NCCL_DEBUG=WARN/);
  }
  const refused = await scannedLogs(t, { 'run.log': job('ncclSocketConnect: Connect to 192.0.2.11<40127> failed : Connection refused') }); // biome-ignore format: one line
  assert.match(refused, /ss -ltnp \| grep :40127/);
});

const netfilter = (prefix: string, port: number): string =>
  `Nov 28 09:04:10 ny-2 kernel: ${prefix}IN=eth2 OUT= MAC=02:00:00:aa:12:01 SRC=192.0.2.10 DST=192.0.2.11 LEN=60 TOS=0x00 PREC=0x00 TTL=64 ID=1 DF PROTO=TCP SPT=51212 DPT=${port} WINDOW=64240 RES=0x00 SYN URGP=0`;

test('a firewall that turned that address and port away is named with its host', async (t) => {
  const warning = 'ncclSocketConnect: Connect to 192.0.2.11<40127> failed : No route to host';
  for (const prefix of ['filter_IN_work_REJECT: ', '[UFW BLOCK] ', '[ 88.123456] nft-drop: ']) {
    const text = await scannedLogs(t, { 'run.log': job(warning), 'ny-2/kern.log': [netfilter(prefix, 40127)] });
    assert.match(text, /Do +let the job through the firewall of ny-2, which turns port 40127 of 192\.0\.2\.11 away/);
    assert.match(text, /Call +who runs ny-2/);
  }
  for (const line of [netfilter('filter_IN_work_REJECT: ', 22), netfilter('ACCEPT-new: ', 40127)]) {
    const other = await scannedLogs(t, { 'run.log': job(warning), 'ny-2/kern.log': [line] });
    assert.doesNotMatch(other, /firewall of ny-2/);
  }
  const alone = await scannedLogs(t, { 'ny-2/kern.log': [netfilter('[UFW BLOCK] ', 40127)] });
  assert.match(alone, /No incident/);
});
