// By words: where no rule finds anything, the line that most likely reports a fault is an incident that says it is a guess.

import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { scan } from './scan-here.ts';
import { scannedLogs } from './scanned.ts';

interface Found {
  readonly incidents: readonly {
    readonly severity: string;
    readonly confidence: number;
    readonly root: { readonly kind: string };
    readonly confidence_parts: readonly { readonly code: string }[];
  }[];
}

const QUIET = 'frobd: all 12 shelves answer';

async function found(t: Parameters<typeof scannedLogs>[0], lines: readonly string[]): Promise<Found> {
  return JSON.parse(await scannedLogs(t, { 'frobd.txt': lines }, '--json')) as Found;
}

for (const [line, kind] of [
  ['frobd: shelf 3: physical drive 7 faulted, taken out of pool tank', 'storage.io_error'],
  ['frobd: uplink xq7 of shelf 3 went down', 'nic.port_down'],
  ['frobd: power supply 2 of shelf 3 not ok', 'psu.failure'],
  ['frobd: FATAL: could not connect to shelf 3 on 10.0.0.7', 'net.connection_reset'],
  ['frobd: volume scratch: no free space', 'host.disk_full'],
] as const)
  test(`${kind} by words alone: unconfirmed, and at most half sure`, async (t) => {
    const { incidents } = await found(t, [QUIET, line, QUIET]);
    assert.deepEqual(incidents.map(({ root, severity }) => [root.kind, severity]), [[kind, 'warning']]); // biome-ignore format: one line
    const [incident] = incidents;
    assert.ok((incident?.confidence ?? 1) <= 0.5, `${incident?.confidence}`);
    assert.ok(incident?.confidence_parts.some(({ code }) => code === 'by_words'));
  });

const STEPS = Array.from({ length: 9 }, (_, i) => ` iteration ${i + 1}/ 2000 | elapsed time per iteration (ms): 310.5 | learning rate 3.0E-06 | lm loss 8.9E+00 |`); // biome-ignore format: one line

for (const [what, lines, kind] of [
  ['progress', [...STEPS, '2026-11-28 12:00:09,367 - frob.storage - ERROR - Failed uploading: connection was closed before an answer to "https://frob.example/x.test"'], 'net.connection_reset'], // biome-ignore format: one line
  ['a report in which nothing is wrong', ['Filesystem      Size  Used Avail Use% Mounted on', '/dev/sda1        10G  2.3G  7.8G  23% /', 'frobd: fatal: physical drive 7 faulted'], 'storage.io_error'], // biome-ignore format: one line
  ['what only says that a peer is gone', ['The node with client ID 1eadc9db2f074bfec34caf25dd5bf1f99fad0d59 has been marked dead because the monitor has missed too many heartbeats from it.'], 'job.node_failed'], // biome-ignore format: one line
  ['the end of a long log', [...Array.from({ length: 60 }, () => QUIET), 'frobd: FATAL: physical drive 7 faulted'], 'storage.io_error'], // biome-ignore format: one line
] as const)
  test(`a line that says that it is an error counts next to ${what}`, async (t) => {
    assert.deepEqual((await found(t, lines)).incidents.map(({ root }) => root.kind), [kind]); // biome-ignore format: one line
  });

const NODE = 'Mar 02 15:22:56 gx-7 kubelet[7920]: ';

for (const [what, lines, kind] of [
  ['a word of a name', [`${NODE}E0302 15:22:56.700685    7920 eviction_manager.go:246] eviction manager: failed to get summary stats: failed to get node info: node "gx-7" not found`, `${NODE}E0302 15:22:56.780297    7920 kubelet_node_status.go:92] Unable to register node "gx-7" with API server: dial tcp 192.0.2.37:6443: connect: connection refused`], 'host.not_ready'], // biome-ignore format: one line
  ['the kubelet, of a pod', [`${NODE}E0519 21:53:17.815577   14435 pod_workers.go:918] "Error syncing pod, skipping" err="failed t>`], 'pod.start_failed'], // biome-ignore format: one line
  ['an engine that is not connected', ['time="2026-11-28T17:31:12Z" level=error msg="Failed to collect metrics: Host engine connection invalid/disconnected"'], 'net.connection_reset'], // biome-ignore format: one line
  ['an I/O error of a fabric', ['Unable to write to EQ: Missing or unavailable event queue. err: Input/output error (5) prov_errno: Unknown error -12 (-12) prov/efa/src/rxr/rxr.h:1343'], 'net.rdma_retry_exceeded'], // biome-ignore format: one line
  ['what was tried again more than once', ['E0116 14:19:24.411840 2315219 controller.go:144] failed to ensure lease exists, will retry in 7s, error: net/http: request canceled', 'E0116 14:19:28.464132 2315219 kubelet_node_status.go:470] Error updating node status, will retry: net/http: request canceled'], 'host.not_ready'], // biome-ignore format: one line
] as const)
  test(`the kind of ${what}`, async (t) => {
    assert.deepEqual((await found(t, lines)).incidents.map(({ root }) => root.kind), [kind]); // biome-ignore format: one line
  });

for (const [what, lines] of [
  ['a difference between two versions of a program', ['@@ -769,7 +769,11 @@ void NodeManager::NodeRemoved(const GcsNodeInfo &node_info) {', '   RAY_CHECK(node_id != self_node_id_)', '       << "Exiting because this node manager has mistakenly been marked dead by the "', '-      << "monitor.";', '+      << "monitor. It is mostly because GCS did not receive heartbeats within timeout "']], // biome-ignore format: one line
  ['a rule of alerts', ['- alert: HostNodeOvertemperatureAlarm', '    expr: node_hwmon_temp_crit_alarm_celsius == 1', '    for: 0m', '    labels:', '      severity: critical', '    annotations:', '      summary: Host node overtemperature alarm', '      description: Physical node temperature alarm triggered']], // biome-ignore format: one line
  ['a page of a manual', ['behind that revision is reported at the next start. It is not synced; what a power', 'failure takes from it is sent again under the same number, so that whoever reads both', 'has each of them once. A disk that is full is reported as such by the first that is', 'written to it, and by no other.']], // biome-ignore format: one line
  ['code', ['  if (kind !== "host.drained" || component?.type !== "host") continue;', '  throw new Error("physical drive failed");', '}']], // biome-ignore format: one line
  ['a level below error', ['frobd: INFO: physical drive 7 failed over as planned']],
  ['a count of none', ['No drive errors.', 'No PCIe AER errors.', 'failed: 0']],
  ['what could come of something', ['frobd: shelves share a key, which could result in errors of drives or', 'frobd: that could lead to a drive failure.']], // biome-ignore format: one line
  ['a row of a table', ["281 | PSU 1 Failure | Power Supply | N/A | N/A | 'transition to OK'"]],
  ['what is tried again', ['frobd: physical drive 7 failed, retrying']],
  ['what is over', ['frobd: physical drive 7 faulted', 'frobd: physical drive 7 back online']],
  ['a line of the kernel that no row knows', ['[ 12.345678] frob: physical drive 7 faulted in probe']],
  ['one line in a log of many', [...Array.from({ length: 60 }, () => QUIET), 'frobd: physical drive 7 faulted']],
] as const)
  test(`no guess: ${what}`, async (t) => {
    assert.deepEqual((await found(t, lines)).incidents, []);
  });

test('a guess changes no part', async (t) => {
  const text = await scannedLogs(t, { 'frobd.txt': ['frobd: FATAL: worker process 7 died'] });
  assert.match(text, /Do +see whether it is so: no rule knows the line below/);
  assert.match(text, /Now +look at .*; change nothing before/);
  assert.match(text, /Call +who runs what wrote the line/);
  assert.doesNotMatch(text, /debug|can stay in service|replace|reboot/);
});

test('no guess besides what a rule found in another text', async (t) => {
  const logs = {
    'frobd.txt': ['frobd: physical drive 7 faulted'],
    'gx-7.dmesg': ['[  812.345678] NVRM: Xid (PCI:0000:3b:00): 79, pid=812, GPU has fallen off the bus.'],
  };
  const { incidents } = JSON.parse(await scannedLogs(t, logs, '--json')) as Found;
  assert.deepEqual(incidents.map(({ root }) => root.kind), ['gpu.lost']); // biome-ignore format: one line
});

test('a guess is not judged: --fail-on fails whatever severity it asks for', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'faultline-words-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const path = join(folder, 'frobd.txt');
  writeFileSync(path, 'frobd: physical drive 7 faulted\n');
  const { status } = await scan(['--fail-on', 'critical', path]);
  assert.equal(status, 1);
});

test('what a person in a chat quotes or asks reports nothing; what one says there may', async (t) => {
  const quoted = '[09:10] tom: and what do we say for "physical drive 7 faulted"? that was in the slides';
  const asked = '[09:11] jana: is the page for drives that faulted yours?';
  assert.deepEqual((await found(t, [quoted, asked])).incidents, []);
  const said = '[09:12] tom: physical drive 7 of shelf 3 faulted';
  assert.equal((await found(t, [quoted, asked, said])).incidents.length, 1);
});
