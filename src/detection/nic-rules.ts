// Detectors of network cards, from the catalogue: error counters, a slower link, heat.

import catalog from '#catalog/nic.json' with { type: 'json' };
import type { Kind } from '../model/kind.ts';
import type { Severity } from '../model/severity.ts';
import type { DetectorSpec } from '../native.ts';
import type { DetectionRule } from './detectors.ts';

interface Row {
  readonly name: string;
  readonly quantity: string;
  readonly type: string;
  readonly kind: string;
  readonly severity: string;
  readonly label: string;
  readonly unit?: string;
  readonly per_second?: number;
  readonly window_ms?: number;
  readonly clear_dwell_ms?: number;
  readonly ratio?: number;
  readonly clear_ratio?: number;
  readonly min_samples?: number;
  readonly dwell_samples?: number;
  readonly limit?: number;
  readonly clear?: number;
  readonly dwell_ms?: number;
}

function specOf(row: Row): DetectorSpec {
  const base = { name: row.name, select: { componentType: 'nic', quantity: row.quantity } };
  const windowMs = row.window_ms ?? 0;
  const clearDwellMs = row.clear_dwell_ms ?? 0;
  if (row.type === 'rate') return { ...base, type: 'rate', perSecond: row.per_second ?? 0, windowMs, clearDwellMs };
  if (row.type === 'drop') {
    const {
      ratio = 0,
      clear_ratio: clearRatio = 0,
      min_samples: minSamples = 1,
      dwell_samples: dwellSamples = 1,
    } = row;
    return { ...base, type: 'drop', when: 'below', ratio, clearRatio, windowMs, minSamples, dwellSamples };
  }
  const { limit = 0, clear = 0, dwell_ms: dwellMs = 0 } = row;
  return { ...base, type: 'level', when: 'below', limit, clear, dwellMs, clearDwellMs };
}

export const NIC_RULES: readonly DetectionRule[] = catalog.detectors.map((row) => ({
  spec: specOf(row),
  kind: row.kind as Kind, // held against the list of kinds in test/detection/nic-rules.test.ts
  severity: row.severity as Severity, // likewise
  quantity: row.label,
  unit: 'unit' in row && typeof row.unit === 'string' ? row.unit : '1/s',
}));
