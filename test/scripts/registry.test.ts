// The set-up asks npm's registry once before npm tries for minutes: what a certificate of an own CA needs is said at once.

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import type { RequestListener } from 'node:http';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, type TestContext, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { certificate } from '../sinks/certificate.ts';

const SCRIPT = fileURLToPath(new URL('../../scripts/lib/registry.sh', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'fl-registry-'));
after(() => rmSync(folder, { recursive: true, force: true }));
const { cert, key, certFile } = certificate(folder, 'registry');

async function registry(t: TestContext, answer: RequestListener): Promise<string> {
  const server: Server = createServer({ cert, key }, answer);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  return `https://127.0.0.1:${(server.address() as AddressInfo).port}/`; // it listens on a port
}

function need(
  url: string,
  more: Readonly<Record<string, string>> = {},
): Promise<{ status: number | null; said: string }> {
  const { PATH } = process.env;
  const env = {
    PATH,
    HOME: folder,
    npm_config_cache: join(folder, 'cache'),
    npm_config_registry: url,
    FAULTLINE_REGISTRY_LIMIT_S: '300',
    ...more,
  };
  const shell =
    'set -euo pipefail; say() { echo "$*" >&2; }; fail() { say "$*"; exit 1; }; . "$1"; need_registry; need_registry; echo good';
  const child = spawn('bash', ['-c', shell, 'bash', SCRIPT], { env, stdio: ['ignore', 'pipe', 'pipe'] });
  let said = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (part: string) => {
      said += part;
    });
  return new Promise((resolve) => child.once('close', (status) => resolve({ status, said })));
}

const PONG: RequestListener = (_request, response) => response.end('{}');

test('a certificate of an own CA ends the set-up with its cure, which is one', async (t) => {
  const url = await registry(t, PONG);
  const { status, said } = await need(url);
  assert.equal(status, 1, said);
  assert.match(said, /is not trusted \((?:DEPTH_ZERO_SELF_SIGNED_CERT|SELF_SIGNED_CERT_IN_CHAIN)\)/);
  assert.match(said, /export NODE_EXTRA_CA_CERTS=\/path\/to\/that-ca\.pem$/m);
  const cured = await need(url, { NODE_EXTRA_CA_CERTS: certFile });
  assert.deepEqual([cured.status, cured.said.match(/asking the npm registry/g)?.length], [0, 1], cured.said);
  assert.match(cured.said, /good\n$/);
});

test('a registry that does not know the question is asked on', async (t) => {
  const url = await registry(t, (_request, response) => response.writeHead(404).end('{}'));
  const { status, said } = await need(url, { NODE_EXTRA_CA_CERTS: certFile });
  assert.equal(status, 0, said);
  assert.doesNotMatch(said, /does not answer/);
});

test('one that does not answer is named, and what is in the cache may be enough', async () => {
  const { status, said } = await need('https://127.0.0.1:9/');
  assert.equal(status, 0, said);
  assert.match(said, /the npm registry does not answer/);
});

test('a password in the address of the registry is not printed', async () => {
  const { said } = await need('https://user:secret@127.0.0.1:9/');
  assert.match(said, /asking the npm registry/);
  assert.doesNotMatch(said, /secret/);
});
