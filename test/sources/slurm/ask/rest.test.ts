// slurmrestd, asked over its unix socket and with a token: a server that answers as its API is published.

import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { Slurmrestd } from '../../../../src/sources/slurm/ask/rest.ts';
import { documentWith } from '../read/generations.ts';

const NONE = { socket: null, url: null, user: null, tokenFile: null };

async function serving(t: TestContext, answer: (request: IncomingMessage, response: ServerResponse) => void) {
  const folder = mkdtempSync(join(tmpdir(), 'faultline-rest-'));
  const socket = join(folder, 's');
  const server = createServer(answer);
  await new Promise<void>((resolve) => server.listen(socket, resolve));
  t.after(() => {
    server.closeAllConnections();
    server.close();
    rmSync(folder, { recursive: true });
  });
  return { folder, socket };
}

function reply(response: ServerResponse, status: number, text: string): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(text);
}

test('the newest API that it has is found once; jobs, nodes and what is not there are told apart', async (t) => {
  const asked: string[] = [];
  const { socket } = await serving(t, ({ url = '' }, response) => {
    asked.push(url);
    if (!url.startsWith('/slurm/v0.0.42/')) return reply(response, 404, '{}');
    if (url.endsWith('/ping')) return reply(response, 200, '{"pings": []}');
    if (url.endsWith('/job/5')) return reply(response, 200, documentWith({ job_id: 5, job_state: ['RUNNING'] }));
    if (url.endsWith('/node/n1'))
      return reply(response, 200, '{"nodes": [{"name": "n1", "state": ["IDLE", "DRAIN"]}]}');
    if (url.endsWith('/jobs'))
      return reply(response, 200, documentWith({ job_id: 5, job_state: ['RUNNING'], nodes: 'n[1-2]' }, { job_id: 6, job_state: ['PENDING'], nodes: '' }, { job_id: 7, job_state: ['RUNNING'], nodes: 'n3' })); // biome-ignore format: one line
    return reply(response, 500, '{"jobs": [], "errors": [{"error": "Invalid job id specified"}]}');
  });
  const rest = new Slurmrestd({ ...NONE, socket }, new AbortController().signal);
  const answer = await rest.job(5);
  assert.deepEqual(answer === 'gone' ? answer : answer.job.states, ['RUNNING']);
  assert.equal(await rest.job(9), 'gone');
  assert.deepEqual((await rest.node('n1'))?.states, ['IDLE', 'DRAIN']);
  assert.deepEqual(await rest.jobsOf('n2'), [5]);
  assert.equal(asked.filter((url) => url.endsWith('/ping')).length, 4);
});

test('the token is read again for each question, and sent with its user; a refusal is an error', async (t) => {
  const tokens: unknown[] = [];
  const { socket, folder } = await serving(t, ({ headers, url = '' }, response) => {
    tokens.push([headers['x-slurm-user-name'], headers['x-slurm-user-token']]);
    if (headers['x-slurm-user-token'] === 'old')
      return reply(response, 401, '{"errors": [{"error": "Authentication failure"}]}');
    return reply(response, 200, url.endsWith('/ping') ? '{}' : documentWith({ job_id: 5 }));
  });
  const tokenFile = join(folder, 'jwt');
  writeFileSync(tokenFile, 'old\n');
  const rest = new Slurmrestd({ ...NONE, socket, user: 'faultline', tokenFile }, new AbortController().signal);
  await assert.rejects(rest.job(5), /answered 401: Authentication failure/);
  writeFileSync(tokenFile, 'new\n');
  assert.notEqual(await rest.job(5), 'gone');
  assert.deepEqual(tokens.at(-1), ['faultline', 'new']);
});

test('one that never answers, and one that is not there, are errors within the deadline', async (t) => {
  const { socket, folder } = await serving(t, () => {});
  const { signal } = new AbortController();
  await assert.rejects(new Slurmrestd({ ...NONE, socket }, signal, 50).job(5));
  await assert.rejects(new Slurmrestd({ ...NONE, socket: join(folder, 'none') }, signal).job(5), /ENOENT/);
});
