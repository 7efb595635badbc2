// The section of the configuration that rules and detectors are in.

import { defineSection } from '../../config/section.ts';
import { type RulesConfig, resolveRules } from './resolve.ts';
import { DETECTORS, RULES } from './schema.ts';

export type { RulesConfig };

export const USER_RULES = defineSection({
  name: 'detection',
  schema: { rules: RULES, detectors: DETECTORS },
  resolve: resolveRules,
});
