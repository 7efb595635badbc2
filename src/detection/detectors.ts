// Which detector watches which series, and what its edges mean: the data of detection.

import type { Kind } from '../model/kind.ts';
import type { Severity } from '../model/severity.ts';
import type { DetectorSpec } from '../native.ts';
import { NIC_RULES } from './nic-rules.ts';

/** A detector with the event that its edges become. */
export interface DetectionRule {
  readonly spec: DetectorSpec;
  readonly kind: Kind;
  /** Overrides the kind's default severity. */
  readonly severity?: Severity;
  /** What the numbers of the edge are, for people: quantity and unit. */
  readonly quantity: string;
  readonly unit: string;
  /** Quantity of the same component whose fall the event also tells, for example the clock under a power brake. */
  readonly alsoTell?: { readonly quantity: string; readonly unit: string };
  /** Where the value falls under this share of the reference the event is of this kind instead. */
  readonly deeper?: { readonly below: number; readonly kind: Kind };
}

const TEN_MINUTES = 600_000;

/**
 * NVML clocks event reasons (nvml.h, nvmlClocksEventReason*): bits 0x1 idle, 0x2 application clocks and 0x100 display
 * setting are no faults and are watched by nothing.
 */
const SW_POWER_CAP = 0x4;
const SW_THERMAL = 0x20;
const HW_THERMAL = 0x40;
const HW_POWER_BRAKE = 0x80;

function voltage(componentType: string): readonly DetectionRule[] {
  const select = { componentType, quantity: 'voltage' };
  const base = { select, type: 'drop', windowMs: TEN_MINUTES, minSamples: 3, dwellSamples: 1 } as const;
  return [
    {
      // 0.9 of the rolling median is where IEC 61000-4-30 lets a dip begin.
      spec: { ...base, name: `${componentType}-sag`, when: 'below', ratio: 0.9, clearRatio: 0.94 },
      kind: 'power.voltage_sag',
      quantity: 'voltage',
      unit: 'V',
      deeper: { below: 0.5, kind: 'power.phase_loss' },
    },
    {
      spec: { ...base, name: `${componentType}-swell`, when: 'above', ratio: 1.1, clearRatio: 1.06 },
      kind: 'power.voltage_swell',
      quantity: 'voltage',
      unit: 'V',
    },
  ];
}

function reasons(name: string, bits: number, dwellMs: number, clearDwellMs: number): DetectorSpec {
  const select = { componentType: 'gpu', quantity: 'clock_event_reasons' };
  return { name, select, type: 'mask', bits, dwellMs, clearDwellMs };
}

function throttle(name: string, quantity: string, perSecond: number): DetectorSpec {
  const select = { componentType: 'cpu', quantity };
  return { name, select, type: 'rate', perSecond, windowMs: 10_000, clearDwellMs: 30_000 };
}

export const DETECTION_RULES: readonly DetectionRule[] = [
  ...voltage('pdu_phase'),
  ...voltage('pdu_inlet'),
  {
    spec: {
      name: 'cpu-power-limit',
      select: { componentType: 'cpu', quantity: 'power_limit' },
      type: 'drop',
      when: 'below',
      ratio: 0.98,
      clearRatio: 0.99,
      windowMs: TEN_MINUTES,
      minSamples: 3,
      dwellSamples: 1,
    },
    kind: 'cpu.power_cap',
    quantity: 'power limit',
    unit: 'W',
  },
  {
    // A package that spends one hundredth of its time slowed down; a spike of milliseconds is what the guard is for.
    spec: throttle('cpu-throttle-time', 'throttle_time', 0.01),
    kind: 'cpu.thermal_throttle',
    quantity: 'share of time slowed down by heat',
    unit: '1',
  },
  {
    // Kernels before 5.8 count events without their length: one each second is no spike any more.
    spec: throttle('cpu-throttle-count', 'throttle_count', 1),
    kind: 'cpu.thermal_throttle',
    quantity: 'thermal throttle events',
    unit: '1/s',
  },
  ...NIC_RULES,
  {
    spec: {
      name: 'gpu-power-limit',
      select: { componentType: 'gpu', quantity: 'power_limit' },
      type: 'drop',
      when: 'below',
      ratio: 0.98,
      clearRatio: 0.99,
      windowMs: TEN_MINUTES,
      minSamples: 3,
      dwellSamples: 1,
    },
    kind: 'gpu.power_limit_changed',
    quantity: 'power limit',
    unit: 'W',
  },
  {
    // The brake points outside the GPU and is never routine: no dwell on onset.
    spec: reasons('gpu-power-brake', HW_POWER_BRAKE, 0, 2_000),
    kind: 'gpu.power_brake',
    quantity: 'clock event reasons',
    unit: '',
    alsoTell: { quantity: 'sm_clock', unit: 'Hz' },
  },
  {
    // A second of dwell: single flickers at a P-state change are no slowdown.
    spec: reasons('gpu-thermal', SW_THERMAL | HW_THERMAL, 1_000, 5_000),
    kind: 'gpu.thermal_throttle',
    quantity: 'clock event reasons',
    unit: '',
    alsoTell: { quantity: 'sm_clock', unit: 'Hz' },
  },
  {
    // At the limit under load is what a GPU is for: info. The long clear dwell keeps a flickering bit from flooding.
    spec: reasons('gpu-power-cap', SW_POWER_CAP, 2_000, 10_000),
    kind: 'gpu.power_cap',
    severity: 'info',
    quantity: 'clock event reasons',
    unit: '',
    alsoTell: { quantity: 'sm_clock', unit: 'Hz' },
  },
  {
    spec: {
      name: 'job-step-time',
      select: { componentType: 'job', quantity: 'step_time' },
      type: 'drop',
      when: 'above',
      ratio: 1.3,
      clearRatio: 1.15,
      windowMs: TEN_MINUTES,
      minSamples: 5,
      dwellSamples: 2,
    },
    kind: 'job.throughput_drop',
    quantity: 'step time',
    unit: 's',
  },
  {
    spec: {
      name: 'job-token-rate',
      select: { componentType: 'job', quantity: 'tokens_per_second_per_gpu' },
      type: 'drop',
      when: 'below',
      ratio: 0.75,
      clearRatio: 0.87,
      windowMs: TEN_MINUTES,
      minSamples: 5,
      dwellSamples: 2,
    },
    kind: 'job.throughput_drop',
    quantity: 'tokens per second and GPU',
    unit: '1/s',
  },
];
