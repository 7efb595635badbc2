// Evicted container: which of the containers that the kubelet lists held most of what ran short, as it ends a pod.

import { evidenceText } from '../evidence.ts';
import type { ReportedFinding } from './report.ts';

/** "Container trainer was using 61234Mi, request is 0" */
const USING = /\bContainer ([a-z0-9][a-z0-9-]{0,62}) was using (\d{1,15})(Ki|Mi|Gi|Ti|k|M|G)?, request is (\w{1,20})/g;
const UNITS: Readonly<Record<string, number>> = { Ki: 2 ** 10, Mi: 2 ** 20, Gi: 2 ** 30, Ti: 2 ** 40, k: 1e3, M: 1e6, G: 1e9 }; // biome-ignore format: one line

/** What the largest of the containers that an eviction lists held, in Ki, Mi, Gi or bytes, and asked for. */
export function usedIn(line: string): ReportedFinding['attributes'] {
  const listed = [...line.matchAll(USING)].map(([, container = '', used = '', unit = '', asked = '']) => ({
    container: evidenceText(container),
    used_bytes: Number(used) * (UNITS[unit] ?? 1),
    asked,
  }));
  const [largest] = listed.sort((one, other) => other.used_bytes - one.used_bytes);
  return largest === undefined ? {} : largest;
}
