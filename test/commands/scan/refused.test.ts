// What a job is refused: a port that another process has is looked for on its host, and access to a model is asked for; its owner is called.

import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { scannedLogs } from './scanned.ts';

/** The text of the report in one line. */
const scanned = async (t: TestContext, name: string, lines: readonly string[]): Promise<string> =>
  (await scannedLogs(t, { [name]: lines })).replace(/\s+/g, ' ');

test('the port of a rendezvous that is in use is looked for, and the job, not the host, is called', async (t) => {
  const text = await scanned(t, 'slurm-81007.out', [
    '0: [W1129 07:10:01.112000 socket.cpp:464] [c10d] The server socket has failed to bind to [::]:29517 (errno: 98 - Address already in use).',
    '0: torch.distributed.DistNetworkError: The server socket has failed to listen on any local network address. port: 29517, useIpv6: false, code: -98, name: EADDRINUSE, message: address already in use',
    'srun: error: gx-33: task 0: Exited with exit code 1',
  ]);
  assert.match(text, /Do see who holds port 29517 that job 81007 wants/);
  assert.match(text, /Now on gx-33, sudo ss -ltnp 'sport = :29517': what an earlier job left there its owner ends/);
  assert.match(text, /Call who runs job 81007 /);
  assert.doesNotMatch(text, /take back what was changed/);
});

test('so is that of a server, and of a library that names none', async (t) => {
  const server = await scanned(t, 'slurm-81009.out', [
    '2026-11-29 07:10:01,112 INFO server start',
    "OSError: [Errno 98] error while attempting to bind on address ('0.0.0.0', 8012): address already in use",
  ]);
  assert.match(server, /Do see who holds port 8012 .*sudo ss -ltnp 'sport = :8012'/);
  const plain = await scanned(t, 'slurm-81008.out', [
    '2026-11-29 07:10:01,112 INFO trainer start',
    'OSError: [Errno 98] Address already in use',
    'srun: error: gx-33: task 0: Exited with exit code 1',
  ]);
  assert.match(plain, /Do see who holds the port that .*sudo ss -ltnp: what/);
});

test('a model that this user may not have is asked for, and the program is not blamed', async (t) => {
  const text = await scanned(t, 'slurm-81010.out', [
    '[2026-11-29 09:00:00,000][INFO] loading meta-llama/Llama-3.1-8B',
    'huggingface_hub.errors.GatedRepoError: 401 Client Error. (Request ID: Root=1-71)',
    'Cannot access gated repo for url https://huggingface.co/meta-llama/Llama-3.1-8B/resolve/main/config.json.',
    'srun: error: gx-33: task 0: Exited with exit code 1',
  ]);
  assert.match(text, /Do get access to the model or data set that job 81010 rank 0 asks for/);
  assert.match(text, /Now ask for access on the page of the model.*HF_TOKEN/);
  assert.doesNotMatch(text, /most likely it is the program/);
});
