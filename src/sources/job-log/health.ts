// Health of one configured job log: what is read, or which line fixes it.

import { MAX_RANKS } from '../../detection/job/rank-speeds.ts';
import type { SourceHealth } from '../source.ts';
import type { FileFollower } from './file-follower.ts';
import type { JobLogSettings, ServiceLogSettings } from './settings.ts';

export function jobLogHealth(
  config: JobLogSettings | ServiceLogSettings,
  followers: readonly FileFollower[],
  lines: number,
): SourceHealth {
  const named = { source: 'job-log' };
  const { path } = config;
  const isJob = 'job' in config;
  const [whose, key] = isJob ? [`job ${config.job}`, 'job_log'] : [`service ${config.service}`, 'service_log'];
  const refused = followers.find((follower) => follower.state === 'no_permission');
  if (refused !== undefined) {
    const detail = `FL2211 ${whose}: ${refused.path} may not be read (${refused.error})`;
    return { ...named, status: 'no_permission', detail, remedy: `setfacl -m u:faultline:r ${refused.path}` };
  }
  const failed = followers.find((follower) => follower.state === 'failed');
  if (failed !== undefined) {
    const detail = `FL2212 ${whose}: ${failed.path} could not be read (${failed.error}); tried again every second`;
    return { ...named, status: 'failed', detail, remedy: `check the file system that holds ${failed.path}` };
  }
  const reading = followers.filter((follower) => follower.state === 'reading');
  const left = followers.find((follower) => follower.state === 'refused');
  const leftOut = left === undefined ? null : `FL2214 ${whose}: ${left.error}: it is not read`;
  if (leftOut !== null && reading.length === 0) {
    return { ...named, status: 'no_permission', detail: leftOut, remedy: left?.remedy ?? null };
  }
  if (reading.length === 0) {
    const detail = `FL2213 ${whose}: no file ${path} yet; taken up when it appears`;
    return {
      ...named,
      status: 'absent',
      detail,
      remedy: `check sources.${key} path ${path}, or start ${isJob ? 'the job' : 'the service'}`,
    };
  }
  const works = { ...named, status: 'works', detail: `${whose}: ${summary(reading, lines)}`, remedy: null } as const;
  const length = isJob ? config.ranks.length : 0;
  const notes = [
    ...(leftOut === null ? [] : [leftOut]),
    ...(length <= MAX_RANKS ? [] : [`${whose}: the speed of ${MAX_RANKS} of its ${length} ranks here is watched`]),
  ];
  return notes.length === 0 ? works : { ...works, notes };
}

function summary(reading: readonly FileFollower[], lines: number): string {
  const total = (of: (follower: FileFollower) => number) => reading.reduce((sum, follower) => sum + of(follower), 0);
  const cut = total((follower) => follower.cutLines);
  const leftOut = total((follower) => follower.leftOutBytes);
  const truncated = total((follower) => follower.truncations);
  const files = reading.length === 1 ? (reading[0]?.path ?? '') : `${reading.length} files`;
  return [
    `${files}, ${lines} lines`,
    ...(cut === 0 ? [] : [`${cut} lines over 64 KiB cut`]),
    ...(leftOut === 0 ? [] : [`${Math.ceil(leftOut / 2 ** 20)} MiB left out, as it grew faster than it is read`]),
    ...(truncated === 0 ? [] : [`truncated ${truncated} times`]),
  ].join(', ');
}
