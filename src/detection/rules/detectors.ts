// Which detector watches which series, and what its edges mean: the data of detection, from the catalogues.

import catalog from '#catalog/detectors.json' with { type: 'json' };
import { GPU_RULES } from './gpu-rules.ts';
import { NIC_RULES } from './nic-rules.ts';
import type { DetectionRule } from './rule.ts';
import { type RuleRow, ruleOf } from './rule-row.ts';

const rows: readonly (RuleRow & { readonly on: readonly string[] })[] = catalog.detectors;

/** A row for several component types makes a rule of its own for each. */
const FACILITY_AND_HOST: readonly DetectionRule[] = rows.flatMap((row) =>
  row.on.map((type) => ruleOf(row, type, row.name.replace('{on}', type))),
);

/** The shipped set, in the order in which `config print --detectors` lists it. */
export const DETECTION_RULES: readonly DetectionRule[] = [...FACILITY_AND_HOST, ...NIC_RULES, ...GPU_RULES];
