// The failures that a named pattern must exist for: one file each, with the four scenarios that it is tried with.

import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';

const FOLDER = join(import.meta.dirname, '..', '..', '..', 'catalog', 'patterns');
/** What is wrong → the file that names it. */
const OF_JOBS = {
  'GPU fell off the bus': 'gpu_fell_off_bus',
  'uncorrectable error of GPU memory': 'gpu_memory_uncorrectable',
  'NVLink degraded': 'nvlink_degraded',
  'PCIe link degraded': 'pcie_link_failing',
  'slowed down by heat': 'gpu_overheating',
  'power brake or cap': 'gpu_power_capped',
  'network link flaps': 'network_link_flap',
  'a rank does not join a collective': 'nccl_rank_not_joined',
  'ranks call different collectives': 'collective_mismatch',
  'bootstrap of the communicator times out': 'nccl_bootstrap_timeout',
  'data loader starves the job': 'dataloader_starvation',
  'a host process stalls': 'host_python_stall',
  'checkpoint stalls': 'checkpoint_stall',
  'out of GPU memory': 'cuda_out_of_memory',
  'out of host memory, or evicted': 'host_out_of_memory',
  'silent data corruption': 'silent_data_corruption',
  'straggler, fail-slow': 'straggler',
  'firmware or driver hangs': 'gsp_or_driver_hang',
  'the first rank that crashes': 'app_crash_first_rank',
  'switch or fabric manager': 'nvswitch_or_fabric_manager',
} as const;
const OF_POWER = {
  'voltage sags': 'feed_voltage_sag',
  'voltage swells': 'feed_voltage_swell',
  'a phase is lost': 'feed_phase_lost',
  'a feed is lost': 'feed_lost',
  'a breaker opens': 'breaker_open',
  'a branch is overloaded': 'branch_overload',
  'an outlet is off': 'outlet_off',
  'the source is transferred': 'source_transfer',
  'a supply fails': 'supply_failed',
  'a supply has no input': 'supply_input_lost',
  'cooling is lost': 'cooling_lost',
} as const;
const EXAMPLES = ['clear', 'partial', 'noisy', 'look_alike'];

for (const [list, names] of [
  ['jobs and devices', OF_JOBS],
  ['the power chain', OF_POWER],
] as const) {
  test(`each failure of ${list} has one pattern of its own, with four scenarios`, () => {
    const files = Object.values(names);
    assert.equal(new Set(files).size, files.length);
    for (const [what, id] of Object.entries(names)) {
      const path = join(FOLDER, `${id}.json`);
      assert.ok(existsSync(path), `${what}: ${path}`);
      assertTried(path);
    }
  });
}

test('further patterns have the four scenarios as well, each with events, no two of them the same', () => {
  for (const file of readdirSync(FOLDER)) assertTried(join(FOLDER, file));
});

function assertTried(path: string): void {
  const { examples } = JSON.parse(readFileSync(path, 'utf8'));
  const events = EXAMPLES.map((name) => JSON.stringify(examples[name]?.events ?? []));
  for (const [i, own] of events.entries()) assert.notEqual(own, '[]', `${path}: ${EXAMPLES[i]}`);
  assert.equal(new Set(events).size, EXAMPLES.length, `${path}: the same scenario twice`);
}
