// Which sources the rack gives the daemon, and which of them its status says work.

import type { ScenarioPlan } from '../scenario/scenario-plan.ts';

/** What a rack offers of one source. */
export interface Offered {
  /** Name of the source in the daemon. */
  readonly source: string;
  readonly label: string;
}

export function offeredSources(plan: ScenarioPlan): Offered[] {
  const { host, pdus, jobs } = plan.world;
  const counted = (source: string, count: number): Offered[] =>
    count > 0 ? [{ source, label: `${source} ${count}` }] : [];
  return [
    ...counted('gpu', host.gpus.length),
    ...counted('cpu', host.packages.length),
    ...counted('pdu', pdus.length),
    ...counted('bmc', host.bmc === null ? 0 : 1),
    { source: 'kernel-log', label: 'kernel log' },
    ...(jobs.length > 0 ? [{ source: 'job-log', label: jobs.length > 1 ? `job logs ${jobs.length}` : 'job log' }] : []),
  ];
}

export interface Readiness {
  readonly ready: readonly Offered[];
  /** The others, each with what the daemon says of it. */
  readonly missing: readonly { readonly offered: Offered; readonly why: string }[];
}

/** Reads a status document with care: it may come from another version of the daemon. */
export function readiness(offered: readonly Offered[], status: unknown): Readiness {
  const ready: Offered[] = [];
  const missing: { offered: Offered; why: string }[] = [];
  const healths = healthsOf(status);
  for (const one of offered) {
    const mine = healths.filter(({ source }) => source === one.source || source.startsWith(`${one.source}/`));
    const bad = mine.find((health) => health.status !== 'works');
    if (mine.length > 0 && bad === undefined) ready.push(one);
    else missing.push({ offered: one, why: bad === undefined ? 'not read' : `${bad.status}: ${bad.detail}` });
  }
  return { ready, missing };
}

function healthsOf(status: unknown): { source: string; status: string; detail: string }[] {
  if (typeof status !== 'object' || status === null || !('sources' in status) || !Array.isArray(status.sources))
    return [];
  return status.sources.flatMap((health: unknown) => {
    if (typeof health !== 'object' || health === null) return [];
    const { source, status: word, detail } = health as { source?: unknown; status?: unknown; detail?: unknown };
    return [{ source: String(source), status: String(word), detail: String(detail ?? '') }];
  });
}
