// Every sink that there is, in the order in which they start: one import and one entry each.

import type { BaseConfig } from '../config/base.ts';
import { acting } from './acting/index.ts';
import { alertmanager } from './alertmanager/index.ts';
import { notify } from './notify/index.ts';
import { nvsentinel } from './nvsentinel/index.ts';
import { otlp } from './otlp/index.ts';
import { prometheus } from './prometheus/index.ts';

export const SINKS = [otlp, prometheus, alertmanager, notify, nvsentinel, acting] as const;

/** What all sinks read of the configuration. */
export type BaseOfSinks = Pick<BaseConfig, 'host' | 'directories' | 'simulated' | 'shadow'>;
