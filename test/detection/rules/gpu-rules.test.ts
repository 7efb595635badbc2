// The shipped detectors of GPUs: what is a fault becomes an event with its severity, and what is none stays silent.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eventsOf, type Round, reported, times } from '../series.ts';

const steady = (round: Round, count = 130): Round[] => times(count, () => round);

test('what is not a fault is silent: idle, application clocks, sync boost, display clocks, smoothing, a deep P-state', () => {
  const quiet: Readonly<Record<string, Round>> = {
    idle: { clock_event_reasons: 0x1, utilization: 0, power: 70 },
    'application clocks': { clock_event_reasons: 0x2, utilization: 1, power: 400 },
    'sync boost': { clock_event_reasons: 0x10, utilization: 1, power: 400 },
    'display clocks': { clock_event_reasons: 0x100, utilization: 1 },
    'the power cap flag at P8': { clock_event_reasons: 0x4, performance_state: 8, utilization: 0, power: 9 },
    'the power cap flag while idle': { clock_event_reasons: 0x5, utilization: 0, power: 70 },
    'power smoothing': { clock_event_reasons: 0, power_smoothing: 1, power_smoothing_floor: 500, power: 500 },
    'one degree under an odd limit': { temperature: 56, temperature_limit: 97, margin_gpu: 1, utilization: 1 },
  };
  for (const [name, round] of Object.entries(quiet)) assert.deepEqual(reported(steady(round)), [], name);
});

test('power smoothing holds the draw at its floor through a sag in the work, and that is not an event either', () => {
  const rounds = times(130, (i) => ({
    power: i > 60 ? 500 : 690,
    utilization: 1,
    power_smoothing: 1,
    sm_clock: 1.9e9,
  }));
  assert.deepEqual(reported(rounds), []);
});

test('at the limit under load is a warning while a limit that was lowered lasts, and information again after it', () => {
  const full = { clock_event_reasons: 0x4, performance_state: 0, utilization: 1, power: 449 };
  const light = { clock_event_reasons: 0, performance_state: 0, utilization: 1, power: 300 };
  const before = steady({ ...light, power_limit: 700 }, 20);
  const lowered = [
    ...before,
    ...steady({ ...light, power_limit: 450 }, 60),
    ...steady({ ...full, power_limit: 450 }, 20),
  ];
  const caps = (rounds: Round[]) => reported(rounds).filter((text) => text.startsWith('gpu.power_cap'));
  assert.deepEqual(
    caps(lowered).map((text) => text.split(' ')[1]),
    ['warning'],
  );
  const restored = [
    ...before,
    ...steady({ ...light, power_limit: 450 }, 60),
    ...steady({ ...light, power_limit: 700 }, 20),
  ];
  const after = caps([...restored, ...steady({ ...full, power_limit: 700 }, 20)]);
  assert.deepEqual(
    after.map((text) => text.split(' ')[1]),
    ['info'],
  );
});

test('at the limit under load is information; under a limit that another hand holds down it is a warning', () => {
  const capped = { clock_event_reasons: 0x4, performance_state: 0, utilization: 1, power: 699 };
  assert.deepEqual(
    reported(steady({ power_limit: 500, power_limit_requested: 500, power_limit_default: 700, ...capped }, 10)),
    ['gpu.power_cap info onset 0'],
  );
  assert.deepEqual(reported(steady({ power_limit: 500, power_limit_requested: 700, ...capped }, 10)), [
    'gpu.power_cap warning onset 0',
  ]);
  assert.deepEqual(reported(steady({ power_limit: 700, ...capped }, 10)), ['gpu.power_cap info onset 0']);
});

test('a busy GPU that the cap holds far under its own limit is a warning after half a minute', () => {
  const held = { clock_event_reasons: 0x4, performance_state: 0, utilization: 1, power: 150, power_limit: 300 };
  assert.deepEqual(reported(steady(held, 50)), ['gpu.power_cap info onset 0'], 'twenty-five seconds');
  assert.deepEqual(reported(steady(held, 100)), ['gpu.power_cap info onset 0', 'gpu.power_cap warning onset 1']);
  assert.deepEqual(reported(steady({ ...held, power: 296 }, 100)), ['gpu.power_cap info onset 0']);
  assert.deepEqual(
    reported(steady({ ...held, utilization: 0.2 }, 100)),
    ['gpu.power_cap info onset 0'],
    'little to do',
  );
});

test('clocks that a setting holds down are noted where that takes something from a busy GPU', () => {
  const set = { clock_event_reasons: 0x2, utilization: 1, sm_clock: 1.2e9, sm_clock_max: 1.98e9 };
  assert.deepEqual(reported(steady(set)), ['gpu.clock_limited info onset 1']);
  assert.deepEqual(reported(steady({ ...set, sm_clock: 1.9e9 })), []);
  assert.deepEqual(reported(steady({ ...set, utilization: 0 })), []);
});

test('the umbrella bit alone is a slowdown without a cause after ten seconds; under a named cause it says nothing', () => {
  assert.deepEqual(reported(steady({ clock_event_reasons: 0x8 }, 19)), [], 'a change of the performance state');
  assert.deepEqual(reported(steady({ clock_event_reasons: 0x8 }, 30)), ['gpu.hw_slowdown warning onset 0']);
  assert.deepEqual(reported(steady({ clock_event_reasons: 0x88, sm_clock: 3.82e8 }, 60)), [
    'gpu.power_brake critical onset 0',
  ]);
  assert.deepEqual(reported(steady({ clock_event_reasons: 0x48 }, 40)), ['gpu.thermal_throttle warning onset 0']);
});

test('heat is a warning from a second on, an error from thirty, and over once', () => {
  const rounds = times(100, (i) => ({ clock_event_reasons: i >= 10 && i < 80 ? 0x20 : 0 }));
  assert.deepEqual(reported(rounds), [
    'gpu.thermal_throttle warning onset 10',
    'gpu.thermal_throttle error onset 10',
    'gpu.thermal_throttle error clear 80',
  ]);
  assert.deepEqual(reported(times(60, (i) => ({ clock_event_reasons: i % 2 === 0 ? 0x20 : 0 }))), [], 'flickers');
});

test('a GPU that heat slows down is reported with how hot it is, where that is read', () => {
  const heat = (round: Round) => {
    const [first] = eventsOf(steady({ clock_event_reasons: 0x40, ...round }, 20));
    return [first?.kind, first?.attributes?.temperature];
  };
  assert.deepEqual(heat({ temperature: 91 }), ['gpu.thermal_throttle', 91]);
  assert.deepEqual(heat({}), ['gpu.thermal_throttle', null]);
});

test('a flickering slowdown that adds up to a fifth of the time is an error by its counter', () => {
  const rounds = times(140, (i) => ({ hw_thermal_time: 7 + i * 0.125 }));
  const [first = '', ...more] = reported(rounds);
  assert.match(first, /^gpu\.thermal_throttle error onset/);
  assert.deepEqual(more, []);
  assert.deepEqual(reported(times(140, (i) => ({ hw_thermal_time: 7 + i * 0.05 }))), [], 'a tenth of the time');
});

test('a brake between two samples shows in its counter', () => {
  assert.deepEqual(reported([{ power_brake_time: 5 }, { power_brake_time: 5 }, { power_brake_time: 5.02 }]), [
    'gpu.power_brake critical onset 2',
  ]);
});

test('a PCIe link below its best counts under load only', () => {
  const link = { pcie_generation_max: 5, pcie_width_max: 16 };
  assert.deepEqual(reported(steady({ ...link, pcie_generation: 1, pcie_width: 8, utilization: 0 })), [], 'idle');
  assert.deepEqual(
    reported(steady({ ...link, pcie_generation: 5, pcie_width: 16, utilization: 1 })),
    [],
    'at its best',
  );
  assert.deepEqual(reported(steady({ ...link, pcie_generation: 1, pcie_width: 8 })), [], 'load unknown');
  const [slow] = eventsOf(steady({ ...link, pcie_generation: 3, pcie_width: 16, utilization: 1 }));
  assert.equal(slow?.kind, 'pcie.link_degraded');
  assert.equal(slow?.attributes?.pcie_generation, 3);
  assert.equal(slow?.attributes?.pcie_generation_max, 5);
  assert.deepEqual(reported(steady({ utilization: 1, ...link, pcie_generation: 5, pcie_width: 8 })), [
    'pcie.link_degraded warning onset 0',
  ]);
});

test('a job that starts finds its link asleep for a moment', () => {
  const rounds = times(130, (i) => ({
    pcie_generation_max: 5,
    utilization: i > 60 ? 1 : 0,
    pcie_generation: i > 70 ? 5 : 1,
  }));
  assert.deepEqual(reported(rounds), []);
});

test('memory: an uncorrectable error is a point by its place, a history is not news, a reset is none either', () => {
  assert.deepEqual(reported([{ ecc_sram_uncorrected: 5 }, { ecc_sram_uncorrected: 5 }]), []);
  const [sram] = reported([
    { ecc_sram_uncorrected: 5 },
    { ecc_sram_uncorrected: 6 },
    ...steady({ ecc_sram_uncorrected: 6 }, 400),
  ]);
  assert.equal(sram, 'gpu.memory.sram_uncorrectable error point 1');
  assert.deepEqual(
    reported([
      { ecc_dram_uncorrected: 0, ecc_uncorrected: 0 },
      { ecc_dram_uncorrected: 1, ecc_uncorrected: 1 },
    ]),
    ['gpu.memory.uncorrectable error point 1'],
  );
  assert.deepEqual(reported([{ ecc_uncorrected: 0 }, { ecc_uncorrected: 1 }]), [
    'gpu.memory.uncorrectable error point 1',
  ]);
  assert.deepEqual(reported([{ ecc_uncorrected: 9 }, { ecc_uncorrected: 0 }, { ecc_uncorrected: 0 }]), []);
});

test('memory: a corrected error now and then is nothing, one a second for a minute is a storm', () => {
  assert.deepEqual(reported(times(100, (i) => ({ ecc_corrected: Math.floor(i / 10) }))), []);
  const [storm] = reported(times(130, (i) => ({ ecc_corrected: i })));
  assert.match(storm ?? '', /^gpu\.memory\.sbe_storm warning onset/);
});

test('memory: a remap or a retirement that waits, one that failed, and the reset that ends the waiting', () => {
  assert.deepEqual(reported([{ remap_pending: 0 }, { remap_pending: 1 }, { remap_pending: 1 }, { remap_pending: 0 }]), [
    'gpu.memory.row_remap_pending warning onset 1',
    'gpu.memory.row_remap_pending warning clear 3',
  ]);
  assert.deepEqual(reported([{ retired_pages_pending: 1 }]), ['gpu.memory.row_remap_pending warning onset 0']);
  assert.deepEqual(reported([{ remap_failed: 1 }]), ['gpu.memory.row_remap_failed critical onset 0']);
  assert.deepEqual(reported([{ retired_pages_dbe: 62 }, { retired_pages_dbe: 63 }]), [
    'gpu.memory.row_remap_failed critical onset 1',
  ]);
});

test('memory: a bank or a group without spares is a warning before the next row fails', () => {
  for (const quantity of ['remap_banks_none', 'bank_remap_groups_none']) {
    assert.deepEqual(reported([{ [quantity]: 0 }, { [quantity]: 1 }]), ['gpu.memory.row_remap_failed warning onset 1']);
  }
  assert.deepEqual(reported([{ bank_remap_pending: 1 }]), ['gpu.memory.row_remap_pending warning onset 0']);
});

test('memory: the error of one instance is reported it, with its application to restart, and nothing of the GPU', () => {
  const key = 'gpu_instance/0000:1b:00.0/5#ecc_sram_uncorrected';
  const events = eventsOf([{ [key]: 0 }, { [key]: 1 }]);
  assert.deepEqual(
    events.map(({ kind, component, attributes }) => [
      kind,
      component?.type,
      component?.id,
      component?.parent,
      attributes?.action,
    ]),
    [['gpu.memory.sram_uncorrectable', 'gpu_instance', '0000:1b:00.0/5', 'gpu/0000:1b:00.0', 'restart_app']],
  );
});

test('temperature: over the highest operating one it is a warning, and the sensor of the memory counts as well', () => {
  for (const quantity of ['margin_gpu', 'margin_memory']) {
    const rounds = times(60, (i) => ({ [quantity]: i < 10 ? 2 : -1 }));
    assert.deepEqual(reported(rounds), ['gpu.overtemp warning onset 10'], quantity);
  }
});

test('a margin that runs out within a minute is reported before it does; a GPU that warms up with its job is not', () => {
  const [heading] = eventsOf(
    times(40, (i) => ({ margin_slowdown: 9 - i * 0.2 })),
    { stepMs: 2000 },
  );
  assert.equal(heading?.kind, 'gpu.heating');
  assert.equal(heading?.severity, 'info');
  assert.ok(Number(heading?.attributes?.limit_in_s) <= 60);
  assert.deepEqual(
    reported(
      times(60, (i) => ({ margin_slowdown: Math.max(20, 55 - i) })),
      1000,
    ),
    [],
  );
  const noise = times(200, (i) => ({ margin_slowdown: 3 + ((i * 7919) % 3) - 1 }));
  assert.deepEqual(reported(noise, 2000), []);
});

test('where there is no margin the old threshold is used, and only there', () => {
  const rounds = times(30, (i) => ({ temperature: 76 + i * 0.5, temperature_limit: 90 }));
  assert.match(reported(rounds, 2000)[0] ?? '', /^gpu\.heating info onset/);
  const both = rounds.map((round) => ({ ...round, margin_slowdown: 30 }));
  assert.deepEqual(reported(both, 2000), []);
});

test('the driver asks for a recovery: its number reaches whoever acts, without it the old flags do', () => {
  const [asked] = eventsOf([{ recovery_action: 0 }, { recovery_action: 4 }]);
  assert.equal(asked?.kind, 'gpu.recovery_action');
  assert.equal(asked?.attributes?.recovery_action, 4);
  const [old] = eventsOf([{ reset_required: 1 }]);
  assert.equal(old?.attributes?.action, 'reset_gpu');
  assert.equal(eventsOf([{ recovery_action: 1, reset_required: 1 }]).length, 1);
});

test('the fabric: registration that does not end, a result that is not a success, less bandwidth', () => {
  const waiting = times(700, () => ({ fabric_state: 2 }));
  assert.deepEqual(reported(waiting), ['fabric_manager.error error onset 0']);
  assert.deepEqual(reported(steady({ fabric_state: 0, fabric_status: 0 }, 700)), [], 'a GPU without a fabric');
  assert.deepEqual(
    reported(steady({ fabric_state: 3, fabric_status: 0, fabric_health: 0xaa }, 700)),
    [],
    'all is well',
  );
  assert.deepEqual(reported([{ fabric_state: 3, fabric_status: 999 }]), ['fabric_manager.error error onset 0']);
  assert.deepEqual(reported([{ fabric_health: 0xa9 }]), ['nvlink.degraded warning onset 0']);
});

test('a limit that falls is a change, reported with what was asked for; one that is low from the start is none', () => {
  assert.deepEqual(reported(steady({ power_limit_requested: 700, power_limit: 400 }, 60)), []);
  const [event] = eventsOf(times(20, (i) => ({ power_limit_requested: 700, power_limit: i < 10 ? 700 : 400 })));
  assert.equal(event?.kind, 'gpu.power_limit_changed');
  assert.equal(event?.attributes?.power_limit_requested, 700);
  assert.equal(event?.attributes?.power_limit_default, null);
});

test('a limit that rises is reported once for each rise, and the end of a lowered one as its end only', () => {
  const limits = [...times(20, () => 400), ...times(200, () => 500), ...times(20, () => 700)];
  const rises = eventsOf(limits.map((power_limit) => ({ power_limit })));
  assert.deepEqual(
    rises.map(({ kind, severity, state, attributes }) => [
      kind,
      severity,
      state,
      attributes?.before,
      attributes?.after,
    ]),
    [
      ['gpu.power_limit_changed', 'info', 'point', 400, 500],
      ['gpu.power_limit_changed', 'info', 'point', 500, 700],
    ],
  );
  const back = [...times(20, () => 700), ...times(200, () => 400), ...times(20, () => 700)];
  assert.deepEqual(reported(back.map((power_limit) => ({ power_limit }))), [
    'gpu.power_limit_changed warning onset 20',
    'gpu.power_limit_changed warning clear 220',
  ]);
  assert.deepEqual(
    reported(times(200, (i) => ({ power_limit: i % 40 === 39 ? 702 : 700 }))),
    [],
    'no rounding is a change',
  );
});

test('PCIe replays: eight a minute are borne, more are not; an error that was not corrected is reported each time', () => {
  assert.deepEqual(reported(times(100, (i) => ({ pcie_replays: i > 50 ? 8 : 0 }))), []);
  assert.match(
    reported(times(100, (i) => ({ pcie_replays: i > 50 ? 9 : 0 })))[0] ?? '',
    /^pcie\.corrected warning onset/,
  );
  assert.deepEqual(reported([{ pcie_fatal: 0 }, { pcie_fatal: 1 }]), ['pcie.uncorrected_fatal critical point 1']);
});
