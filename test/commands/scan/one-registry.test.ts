// One registry: pods that cannot pull for one certificate is over are one incident, which says whose it is.

import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { scannedLogs } from './scanned.ts';

const HEAD = 'LAST SEEN   TYPE      REASON   OBJECT             MESSAGE';

function pulls(pod: string, registry: string, said: string): string {
  return `3m          Warning   Failed   pod/${pod}   Failed to pull image "${registry}/ml/app:1": failed to do request: Head "https://${registry}/v2/ml/app/manifests/1": tls: failed to verify certificate: x509: ${said}`;
}
const OVER =
  'certificate has expired or is not yet valid: current time 2026-11-28T00:10:31Z is after 2026-11-27T23:59:59Z';

async function scanned(t: TestContext, lines: readonly string[]): Promise<string> {
  return scannedLogs(t, { 'kubectl-get-events.txt': [HEAD, ...lines] });
}
const incidents = (text: string): number => text.match(/^INCIDENT /gm)?.length ?? 0;

test('pods on several nodes wait for one certificate', async (t) => {
  const of = (pod: string) => pulls(pod, 'harbor.example.org', OVER);
  const text = await scanned(t, [of('train-0'), of('api-1'), of('etl-2')]);
  assert.equal(incidents(text), 1, text);
  assert.match(text, /Do +have the certificate of the registry harbor\.example\.org renewed/);
  assert.match(text, /Call +who runs the registry harbor\.example\.org/);
});

/** The node of a pod, without which all are of one place. */
const on = (pod: string, node: string): string =>
  `4m          Normal    Scheduled   pod/${pod}   Successfully assigned ml/${pod} to ${node}`;

test('the certificates of two registries are two; one that is not trusted is of its pod', async (t) => {
  const two = [pulls('train-0', 'harbor.example.org', OVER), pulls('api-1', 'quay.example.org', OVER)];
  const nodes = [on('train-0', 'k8s-1'), on('api-1', 'k8s-2')];
  assert.equal(incidents(await scanned(t, [...nodes, ...two])), 2);
  const unknown = 'certificate signed by unknown authority';
  const text = await scanned(t, [pulls('train-0', 'harbor.example.org', unknown)]);
  assert.doesNotMatch(text, /renewed/);
});
