// FaultEvents: gives the faults of a job's log their place on this host and in the job.

import type { Component } from '../../../../model/component.ts';
import type { RankLabel } from '../../../../model/rank-label.ts';
import type { EventInput } from '../../../../model/record.ts';
import type { LineBase } from '../job-state.ts';
import type { Fault } from './fault.ts';

/** What the line knows of a job's ranks and of the host that its log is read on. */
export interface JobPlaces {
  readonly host: string;
  /** The rank over the whole job if it is here; null where it is not, or where the label does not say. */
  readonly rankOf: (job: string, label: RankLabel) => number | null;
}

/** For a log that is read by itself: a local number says nothing, and the host is not known. */
export const NO_PLACES: JobPlaces = {
  host: '',
  rankOf: (_job, { number, means }) => (means === 'local' ? null : number),
};

export function faultEvent(fault: Fault, job: string, base: LineBase, places: JobPlaces): EventInput {
  const { kind, severity, state, sinceMs, beforeMs, attributes } = fault;
  const timeMs = base.timeMs - (beforeMs ?? 0);
  return {
    ...base,
    timeMs,
    kind,
    component: component(fault, job, places),
    attributes: {
      ...base.attributes,
      ...localRank(fault),
      ...rankOfDevice(fault),
      ...ofJob(fault, job),
      ...attributes,
    },
    ...(severity === undefined ? {} : { severity }),
    ...(state === undefined ? {} : { state }),
    ...(sinceMs === undefined ? {} : { interval: { earliestMs: timeMs - sinceMs, latestMs: timeMs } }),
  };
}

/** The number within its host, where the line says no other. */
function localRank({ rank }: Fault): Readonly<Record<string, number>> {
  return rank?.means === 'local' ? { local_rank: rank.number } : {};
}

/** Whose device it is, which has no other name. */
function rankOfDevice({ place, rank }: Fault): Readonly<Record<string, number>> {
  return place === 'device' && rank?.means === 'global' ? { rank: rank.number } : {};
}

/** Of another host: whose node it was. */
function ofJob({ place }: Fault, job: string): Readonly<Record<string, string>> {
  return typeof place === 'object' ? { job } : {};
}

function component(fault: Fault, job: string, places: JobPlaces): Component | null {
  const { place, rank } = fault;
  if ((place !== 'named' && place !== 'rank') || rank === undefined || rank === null)
    return componentOf(fault, { type: 'job', id: job }, places.host);
  const here = places.rankOf(job, rank);
  if (here !== null) return ofRank(job, here, places.host);
  return place === 'named' ? ofRank(job, rank.number, '') : { type: 'job', id: job };
}

/** Where a fault is that no rank is known of: on a host, on a device that is not named, or in the work as a whole. */
export function componentOf({ place }: Fault, work: Component, host: string): Component | null {
  if (typeof place === 'object') return { type: 'host', id: place.host };
  if (place === 'device') return null;
  if (place !== 'host') return work;
  return host === '' ? null : { type: 'host', id: host };
}

function ofRank(job: string, number: number, host: string): Component {
  const on = host === '' ? {} : { host };
  return { type: 'rank', id: `${job}/${number}`, parent: `job/${job}`, ...on };
}
