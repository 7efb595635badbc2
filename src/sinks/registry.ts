// Every sink that there is, in the order in which they start: one import and one entry each.

import type { BaseConfig } from '../config/base.ts';
import type { SettingsOf } from '../config/section.ts';
import { otlp } from './otlp/index.ts';
import { prometheus } from './prometheus/index.ts';

export const SINKS = [otlp, prometheus] as const;

/** What sinks read of the configuration. */
export type SinksConfig = Pick<BaseConfig, 'host' | 'directories' | 'simulated'> & SettingsOf<typeof SINKS>;
