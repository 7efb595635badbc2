// All inferences: a new one is a file in this folder and its name in this list.

import { feedLost } from './feed-lost.ts';
import type { Inference } from './inference.ts';
import { unobservedSag } from './unobserved-sag.ts';

export const INFERENCES: readonly Inference[] = [unobservedSag, feedLost];
