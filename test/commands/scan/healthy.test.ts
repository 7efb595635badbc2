// Healthy reports: what says that all is well is answered so, and one word that says otherwise takes that back.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { healthyIn } from '../../../src/commands/scan/healthy.ts';
import { scannedLogs } from './scanned.ts';

const FOLDER = join(import.meta.dirname, 'healthy');
const textOf = (name: string): string => readFileSync(join(FOLDER, `${name}.txt`), 'utf8');
const toolsOf = (text: string): readonly string[] => healthyIn(text).map(({ tool }) => tool);

/** By report: what makes it an unhealthy one; more than one of a kind. */
const OTHERWISE: Readonly<Record<string, { readonly tool: string; readonly bad: readonly [from: string | RegExp, to: string][] }>> = {
  'dcgmi-diag': { tool: 'dcgmi diag', bad: [['| PCIe                      | Pass - All', '| PCIe                      | Fail - GPU: 2'], ['| Inforom                   | Pass', '| Inforom                   | Warn'], [/Pass/g, 'Skip']] },
  ibdiagnet: { tool: 'ibdiagnet', bad: [['Port Counters             0          0', 'Port Counters             0          3'], ['Links Check               0', 'Links Check               2'], ['-I- Links Check finished', '-W- Links Check finished']] },
  ibqueryerrors: { tool: 'ibqueryerrors', bad: [['0 bad nodes', '2 bad nodes'], ['0 ports have', '4 ports have'], [/^/, '   GUID 0x98039b030 port 1: [SymbolErrorCounter == 77121]\n']] },
  mdadm: { tool: 'mdadm --detail', bad: [['State : clean ', 'State : clean, degraded '], ['Failed Devices : 0', 'Failed Devices : 1'], ['1      active sync   /dev/nvme1n1p2', '-      faulty   /dev/nvme1n1p2'], ['State : clean ', 'State : active, FAILED ']] },
  mlxlink: { tool: 'mlxlink', bad: [['No issue was observed', 'Bad signal integrity'], [': Active', ': Polling'], ['LinkUp', 'Disabled']] },
  perfquery: { tool: 'perfquery', bad: [['SymbolErrorCounter:..............0', 'SymbolErrorCounter:..............77121'], ['LinkDownedCounter:...............0', 'LinkDownedCounter:...............4']] },
  sdr: { tool: 'ipmitool sdr', bad: [['8400 RPM          | ok', '0 RPM             | cr'], ['| 0x01              | ok', '| Failure detected  | ok']] },
  'smartctl-nvme': { tool: 'smartctl', bad: [['PASSED', 'FAILED!'], ['0x00', '0x04'], ['Integrity Errors:    0', 'Integrity Errors:    12']] },
  zpool: { tool: 'zpool status', bad: [['state: ONLINE', 'state: DEGRADED'], ['No known data errors', '3 data errors, use \'-v\' for a list'], ['sdb     ONLINE       0     0     0', 'sdb     ONLINE       0     0    12'], ['sdb     ONLINE ', 'sdb     FAULTED']] },
  'topo-p2p': { tool: 'nvidia-smi topo -p2p', bad: [[' GPU0\tX\tOK', ' GPU0\tX\tCNS']] },
}; // biome-ignore format: one table

test('each healthy report is known as that of its tool', () => {
  for (const [name, { tool }] of Object.entries(OTHERWISE)) assert.deepEqual(toolsOf(textOf(name)), [tool], name);
});

test('and none is healthy once any of its states is not', () => {
  for (const [name, { bad }] of Object.entries(OTHERWISE))
    for (const [from, to] of bad) {
      const text = textOf(name).replace(from, () => to);
      assert.notEqual(text, textOf(name), `${name}: ${from}`);
      assert.deepEqual(toolsOf(text), [], `${name}: ${to}`);
    }
});

test('a scan says what each of them says, in text and JSON', async (t) => {
  const names = Object.keys(OTHERWISE);
  const logs = Object.fromEntries(names.map((name) => [`${name}.txt`, textOf(name).trimEnd().split('\n')]));
  const { inputs } = JSON.parse(await scannedLogs(t, logs, '--json'));
  assert.equal(inputs.length, names.length);
  for (const { name, judged } of inputs) assert.equal(judged?.[0]?.healthy, true, name);
  const few = { 'zpool.txt': logs['zpool.txt'] ?? [], 'perfquery.txt': logs['perfquery.txt'] ?? [] };
  const text = await scannedLogs(t, few);
  assert.match(text, /\nNo incident: each report that was read says that all is well\.\n/);
  assert.match(text, /\nHealthy: perfquery\.txt: perfquery says "SymbolErrorCounter: 0" \(so do 10 more lines\)\.\n/);
  assert.match(text, /\nHealthy: zpool\.txt: zpool status says "state: ONLINE" and "errors: No known data errors"\.\n/);
  assert.doesNotMatch(text, /Nothing was judged|Not understood/);
});

test('how GPUs are joined says nothing of their state', async (t) => {
  const text = await scannedLogs(t, { 'topo.txt': textOf('topo').split('\n') });
  assert.match(
    text,
    /\nRead: topo\.txt: nvidia-smi topo -m shows how GPUs and cards are joined, and no state of any\.\n/,
  );
  assert.doesNotMatch(text, /Healthy|all is well/);
});

test('a report in which a fault is found is not healthy', async (t) => {
  const failed = textOf('zpool')
    .replace('state: ONLINE', 'state: DEGRADED')
    .replace('sdb     ONLINE ', 'sdb     FAULTED');
  const text = await scannedLogs(t, { 'zpool.txt': failed.split('\n') });
  assert.match(text, /INCIDENT/);
  assert.doesNotMatch(text, /Healthy|all is well/);
});
