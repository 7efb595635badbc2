// All inferences: a new one is a file in this folder and its name in this list.

import type { Inference } from './inference.ts';
import { unobservedSag } from './unobserved-sag.ts';

export const INFERENCES: readonly Inference[] = [unobservedSag];
