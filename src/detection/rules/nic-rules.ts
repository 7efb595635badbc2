// Detectors of network cards, from the catalogue: error counters, a slower link, heat.

import catalog from '#catalog/nic.json' with { type: 'json' };
import type { DetectionRule } from './rule.ts';
import { type RuleRow, ruleOf } from './rule-row.ts';

const rows: readonly RuleRow[] = catalog.detectors;

export const NIC_RULES: readonly DetectionRule[] = rows.map((row) => ruleOf(row, 'nic'));
