// The part of the configuration schema about what an incident costs.

import { section } from './schema-parts.ts';

/** ISO 4217. */
export const CURRENCY_PATTERN = '^[A-Z]{3}$';

export const impact = section('What an incident costs: GPU-hours are counted without it.', {
  gpu_hour_rate: {
    type: 'number',
    description: 'Price of one GPU for one hour; no cost is told when left out.',
    minimum: 0,
    maximum: 1_000_000,
    examples: [2.5],
  },
  currency: {
    type: 'string',
    description: 'Currency of the price, three letters of ISO 4217.',
    pattern: CURRENCY_PATTERN,
    default: 'USD',
    examples: ['EUR'],
  },
});
