// Whatever a driver answers that is not a reading, no shipped detector makes an event of it.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { DETECTION_RULES } from '../../src/detection/rules/detectors.ts';
import { eventsOf, GPU, times } from './series.ts';

const OWN = DETECTION_RULES.filter(({ spec }) => ['gpu', 'gpu_instance', 'nvlink'].includes(spec.select.componentType));
const keyOf = (type: string, quantity: string): string =>
  type === 'gpu' ? `${GPU}#${quantity}` : `${type}/0000:1b:00.0/1#${quantity}`;
const KEYS = [...new Set(OWN.map(({ spec }) => keyOf(spec.select.componentType, spec.select.quantity)))];

test('NaN, infinities and numbers that stand for no value never fire', () => {
  const absent = fc.constantFrom(
    Number.NaN,
    Number.POSITIVE_INFINITY,
    Number.NEGATIVE_INFINITY,
    2_147_483_632,
    2_147_483_635,
    4_294_967_295,
    2 ** 63,
    140_737_488_355_328,
  );
  const round = fc.record(Object.fromEntries(KEYS.map((key) => [key, absent])), { requiredKeys: [] });
  fc.assert(
    fc.property(fc.array(round, { maxLength: 40 }), (rounds) =>
      assert.deepEqual(eventsOf(rounds, { stepMs: 10_000 }), []),
    ),
    { numRuns: 50 },
  );
});

test('a counter that only goes back never fires', () => {
  const counters = OWN.filter(({ spec }) => spec.type === 'rate').map(({ spec }) =>
    keyOf(spec.select.componentType, spec.select.quantity),
  );
  fc.assert(
    fc.property(
      fc.constantFrom(...new Set(counters)),
      fc.array(fc.nat(), { minLength: 2, maxLength: 60 }),
      (key, values) => {
        const falling = values.toSorted((a, b) => b - a).map((value) => ({ [key]: value }));
        assert.deepEqual(eventsOf(falling), []);
      },
    ),
    { numRuns: 100 },
  );
});

test('onset and clear of one kind on one component alternate, however the samples fall', () => {
  const quantities = ['clock_event_reasons', 'power_limit', 'margin_gpu', 'remap_pending', 'recovery_action'];
  const value = fc.oneof(fc.constantFrom(0, 0x8, 0x20, 0x48, 0x80, 700), fc.integer({ min: -5, max: 300 }));
  const round = fc.record(Object.fromEntries(quantities.map((name) => [name, value])), { requiredKeys: [] });
  fc.assert(
    fc.property(fc.array(round, { maxLength: 120 }), (rounds) => {
      const open = new Map<string, number>();
      for (const { kind, state, attributes } of eventsOf(rounds, { stepMs: 2000 })) {
        const before = open.get(kind) ?? 0;
        if (state === 'onset') open.set(kind, before + 1);
        if (state !== 'clear') continue;
        assert.ok(before > 0, `${kind} ended before it began (${attributes?.detector})`);
        open.set(kind, 0);
      }
    }),
    { numRuns: 100 },
  );
});

test('every shipped detector stays silent on a sound, busy GPU', () => {
  const sound = {
    clock_event_reasons: 0, performance_state: 0, utilization: 1, power: 650, power_limit: 700, power_limit_default: 700,
    power_limit_requested: 700, temperature: 65, temperature_limit: 90, margin_gpu: 20, margin_memory: 25, margin_slowdown: 25,
    ecc_corrected: 12, ecc_uncorrected: 0, ecc_sram_uncorrected: 0, ecc_dram_uncorrected: 0, ecc_sram_threshold: 0,
    remap_pending: 0, remap_failed: 0, retired_pages_dbe: 0, pcie_generation: 5, pcie_generation_max: 5, pcie_width: 16,
    pcie_width_max: 16, pcie_replays: 3, pcie_nonfatal: 0, pcie_fatal: 0, fabric_state: 3, fabric_status: 0,
    recovery_action: 0, reset_required: 0, drain_reset_required: 0, sm_utilization: 0.9, sm_clock: 1.98e9,
    'nvlink/0000:1b:00.0/1#nvlink_state': 1, 'nvlink/0000:1b:00.0/1#nvlink_replays': 7,
  }; // biome-ignore format: one GPU
  assert.deepEqual(
    eventsOf(
      times(300, () => sound),
      { stepMs: 2000 },
    ),
    [],
  );
});
