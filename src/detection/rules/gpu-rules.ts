// Detectors of GPUs and their links, from the catalogue. Bits that are not a fault (idle 0x1, application clocks 0x2, sync
// boost 0x10, display clocks 0x100) and power smoothing are watched by nothing.

import catalog from '#catalog/gpu-detectors.json' with { type: 'json' };
import type { DetectionRule } from './rule.ts';
import { type RuleRow, ruleOf } from './rule-row.ts';

const rows: readonly (RuleRow & { readonly on: readonly string[] })[] = catalog.detectors;

export const GPU_RULES: readonly DetectionRule[] = rows.flatMap((row) => row.on.map((type) => ruleOf(row, type)));
