// CPU power through the addon, on a tree of our own.

import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { type NativeCore, native, noticesOf } from '../../src/native.ts';
import { drainUntil, makeCore, until } from './edges.ts';

const RANGE_UJ = 262_143_328_850;
const UNIT_UJ = 61;

function write(root: string, entry: string, files: Record<string, string | number>) {
  const folder = join(root, 'class', 'powercap', entry);
  mkdirSync(folder, { recursive: true });
  for (const [name, content] of Object.entries(files)) writeFileSync(join(folder, name), `${content}\n`);
}

function values(core: NativeCore, key: string): number[] {
  return [...core.history(key, 0, Number.POSITIVE_INFINITY).values];
}

test('energy counts through a wrap, the limit change is an edge, and twins are read once', async (context) => {
  const root = mkdtempSync(join(tmpdir(), 'faultline-rapl-'));
  context.after(() => rmSync(root, { recursive: true }));
  write(root, 'intel-rapl:0', {
    name: 'package-0',
    energy_uj: RANGE_UJ - 1_000_000,
    max_energy_range_uj: RANGE_UJ,
    constraint_0_name: 'long_term',
    constraint_0_power_limit_uw: 300_000_000,
  });
  write(root, 'intel-rapl:0:0', { name: 'dram', energy_uj: 5, max_energy_range_uj: RANGE_UJ });
  write(root, 'intel-rapl-mmio:0', { name: 'package-0', energy_uj: 9, max_energy_range_uj: RANGE_UJ });
  const core = makeCore();
  core.setDetectors([
    {
      name: 'capped',
      select: { componentType: 'cpu', quantity: 'power_limit' },
      type: 'drop',
      when: 'below',
      ratio: 0.9,
      clearRatio: 0.95,
      windowMs: 60_000,
      minSamples: 3,
      dwellSamples: 2,
    },
  ]);
  const reader = new (native().Rapl)(core, { sysRoot: root, host: 'node-3', intervalMs: 30, fastIntervalMs: 0 });
  const energy = () => values(core, 'cpu/node-3/0#energy');
  await until(() => energy().length >= 4);
  write(root, 'intel-rapl:0', { energy_uj: 1_000_000 - UNIT_UJ });
  await until(() => energy().at(-1) !== 0);
  assert.ok(Math.abs((energy().at(-1) ?? 0) - 2) < 1e-9);
  assert.ok(values(core, 'cpu/node-3/0#power').every((watts) => watts >= 0 && watts < 450));
  // Limits are read once a second.
  await until(() => values(core, 'cpu/node-3/0#power_limit').length >= 3);
  const capped = drainUntil(core, ({ edges }) => edges.length > 0);
  write(root, 'intel-rapl:0', { constraint_0_power_limit_uw: 150_000_000 });
  const [edge] = (await capped).edges;
  assert.equal(edge?.key, 'cpu/node-3/0#power_limit');
  assert.equal(edge?.edge, 'onset');
  assert.equal(edge?.value, 150);
  assert.equal(edge?.reference, 300);
  assert.deepEqual(core.seriesKeys().sort(), [
    'cpu/node-3/0#dram_energy',
    'cpu/node-3/0#dram_power',
    'cpu/node-3/0#energy',
    'cpu/node-3/0#power',
    'cpu/node-3/0#power_limit',
  ]);
  reader.stop();
  core.close();
});

test('a host without the tree says so once', async (context) => {
  const root = mkdtempSync(join(tmpdir(), 'faultline-rapl-'));
  context.after(() => rmSync(root, { recursive: true }));
  const core = makeCore();
  new (native().Rapl)(core, { sysRoot: root, host: 'h', intervalMs: 30, fastIntervalMs: 0 });
  const { notices } = await drainUntil(core, (all) => all.notices.length > 0);
  assert.deepEqual(
    noticesOf(notices, 'rapl_state').map(({ state }) => state),
    ['absent'],
  );
  assert.match(noticesOf(notices, 'rapl_state')[0]?.reason ?? '', /class\/powercap holds no intel-rapl zone/);
  core.close();
});
