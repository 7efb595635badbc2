// Judges a job's log by what its lines meant: one that is read, and of which no line is understood, works in part at best.

import { linesOf } from '../../detection/text/job-framework.ts';
import type { LineCount } from '../../detection/text/understood.ts';
import type { SourceHealth } from '../source.ts';
import type { JobLogSettings } from './settings.ts';

/** `health`: of the log, as its source sees it. `count`: what came of its lines so far. */
export function judgeJobLog(
  health: SourceHealth,
  { job, path, framework }: JobLogSettings,
  count: Readonly<LineCount> | undefined,
): SourceHealth {
  if (count === undefined || health.status !== 'works') return health;
  if (count.steps > 0) return { ...health, detail: `${health.detail}, ${count.steps} of them progress` };
  if (count.others > 0) return { ...health, detail: `${health.detail}, no progress among them yet` };
  return {
    ...health,
    status: 'partial',
    detail: `job ${job}: ${path}, ${count.lines} lines, none recognised as progress`,
    remedy: `formats it knows: ${linesOf(framework)}; check sources.job_log path and framework, or wait for the first step`,
  };
}
