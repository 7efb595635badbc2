// kubelet's own port over TLS: which certificates are taken, that no token goes to another server, and what is said of the rest.

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import https from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, type TestContext, test } from 'node:test';
import { KubeletPodsFeed } from '../../../../src/sources/kubernetes/api/kubelet-pods-feed.ts';
import { peerOf } from '../../../../src/sources/kubernetes/feeds.ts';
import type { KubeError } from '../../../../src/sources/kubernetes/kubelet/kubelet-error.ts';
import { until } from '../../../until.ts';

const folder = mkdtempSync(join(tmpdir(), 'faultline-kubelet-tls-'));
after(() => rmSync(folder, { recursive: true }));
const at = (name: string): string => join(folder, name);
const openssl = (...words: string[]): void => void execFileSync('openssl', words, { stdio: 'ignore' });
const KEY = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];

/** As kubelet makes its own: an authority for this one leaf, which is made out to the node; kubelet.crt has both. */
function kubelet(name: string, node = 'node-3', days = '2'): void {
  openssl('req', '-x509', ...KEY, '-days', '2', '-subj', `/CN=${node}-ca@1795000000`, '-keyout', at('ca.key'), '-out', at(`${name}-ca.crt`)); // biome-ignore format: one command
  openssl('req', ...KEY, '-subj', `/CN=${node}@1795000000`, '-keyout', at(`${name}.key`), '-out', at('leaf.csr'));
  writeFileSync(at('leaf.ext'), `subjectAltName=DNS:${node}\nbasicConstraints=critical,CA:FALSE\n`);
  openssl('x509', '-req', '-in', at('leaf.csr'), '-CA', at(`${name}-ca.crt`), '-CAkey', at('ca.key'), '-CAcreateserial', '-days', days, '-extfile', at('leaf.ext'), '-out', at('leaf.crt')); // biome-ignore format: one command
  writeFileSync(at(`${name}.crt`), readFileSync(at('leaf.crt'), 'utf8') + readFileSync(at(`${name}-ca.crt`), 'utf8'));
}

kubelet('own');
kubelet('renewed');
kubelet('foreign', 'node-9');
writeFileSync(at('token'), 'a-token');

interface Served {
  readonly url: string;
  readonly tokens: (string | undefined)[];
  present(name: string): void;
}

async function serving(t: TestContext, name: string): Promise<Served> {
  const pair = (which: string) => ({ key: readFileSync(at(`${which}.key`)), cert: readFileSync(at(`${which}.crt`)) });
  const tokens: (string | undefined)[] = [];
  const server = https.createServer(pair(name), ({ headers }, response) => {
    tokens.push(headers.authorization);
    response.end('{"kind": "PodList", "items": []}');
  });
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo; // it listens on TCP
  const present = (which: string): void => {
    server.setSecureContext(pair(which));
    server.closeAllConnections();
  };
  return { url: `https://127.0.0.1:${port}`, tokens, present };
}

function feedOf(
  t: TestContext,
  { url }: Served,
  ca: string | null,
  more: { insecure?: boolean } = {},
): KubeletPodsFeed {
  const peer = { url, caFile: ca === null ? null : at(ca), insecure: more.insecure ?? false };
  const feed = new KubeletPodsFeed(peerOf(peer, at('token'), 'node-3', 'TRUST'), []);
  t.after(() => feed.stop());
  return feed;
}

const refused = (feed: KubeletPodsFeed): Promise<string> =>
  feed.probe().then(
    () => assert.fail('it was taken'),
    ({ fault, message }: KubeError) => `${fault}: ${message}`,
  );

test('what kubelet signs itself is refused until it is named, with what to name, and gets no token', async (t) => {
  const served = await serving(t, 'own');
  const why = await refused(feedOf(t, served, null));
  assert.match(why, /^certificate: https:.*\/pods: its certificate is signed by no authority that is trusted here \([A-Z_]+\); no token was sent; TRUST$/); // biome-ignore format: one line
  assert.match(await refused(feedOf(t, served, 'foreign.crt')), /signed by no authority that is trusted here/);
  assert.deepEqual(served.tokens, []);
});

test('its own certificate, or the authority with the name of the node, is enough, whatever address is asked', async (t) => {
  const served = await serving(t, 'own');
  await feedOf(t, served, 'own.crt').probe();
  await feedOf(t, served, 'own-ca.crt').probe();
  assert.deepEqual(served.tokens, ['Bearer a-token', 'Bearer a-token']);
});

test('the certificate of another node by the same authority is not this kubelet', async (t) => {
  const served = await serving(t, 'foreign');
  assert.match(await refused(feedOf(t, served, 'foreign-ca.crt')), /its certificate is for another name \(ERR_TLS_CERT_ALTNAME_INVALID\)/); // biome-ignore format: one line
  assert.deepEqual(served.tokens, []);
});

test('a certificate that kubelet renewed is refused until its copy is, and then taken without a restart', async (t) => {
  const served = await serving(t, 'own');
  copyFileSync(at('own.crt'), at('copy.crt'));
  const feed = feedOf(t, served, 'copy.crt');
  await feed.probe();
  served.present('renewed');
  await until(async () => (await feed.probe().catch((error: KubeError) => error))?.fault === 'certificate');
  copyFileSync(at('renewed.crt'), at('copy.crt'));
  await until(async () => (await feed.probe().catch((error: KubeError) => error)) === undefined);
});

test('unchecked where the operator wants it so, which the report says', async (t) => {
  const served = await serving(t, 'foreign');
  const feed = feedOf(t, served, null, { insecure: true });
  await feed.probe();
  assert.match(feed.notes.join(), /is not verified: sources\.kubernetes\.kubelet_ca/);
});

test('a file that holds no certificate is trouble with its name, and nothing is sent', async (t) => {
  const served = await serving(t, 'own');
  writeFileSync(at('empty.crt'), 'not a certificate\n');
  assert.match(await refused(feedOf(t, served, 'empty.crt')), /signed by no authority/);
  assert.match(await refused(feedOf(t, served, 'none.crt')), /none\.crt: ENOENT/);
  assert.deepEqual(served.tokens, []);
});
