// The event of a file system that became full or has room again, with the figures that say what to free.

import type { Component } from '../../model/component.ts';
import type { EventInput } from '../../model/record.ts';
import type { Interval } from '../../model/time.ts';
import type { FullnessEdge } from './fullness.ts';

const MIB = 1024 ** 2;

/** `interval`: between the last reading and this one. */
export function fullnessEvent(edge: FullnessEdge, component: Component, interval: Interval): EventInput {
  const { kind, state, path, filesystem } = edge;
  const timeMs = interval.latestMs;
  return {
    kind,
    component,
    timeMs,
    interval,
    observedMs: timeMs,
    trust: 'system',
    state,
    source: 'system',
    attributes: {
      path,
      size_bytes: filesystem?.sizeBytes ?? null,
      available_bytes: filesystem?.availableBytes ?? null,
      utilization: filesystem?.utilization ?? null,
      inode_utilization: filesystem?.inodeUtilization ?? null,
    },
    evidence: [{ source: 'system', timeMs, text: sentence(edge) }],
    discriminator: path,
  };
}

function sentence({ path, filesystem }: FullnessEdge): string {
  if (filesystem === null) return `${path} is mounted no more`;
  const { availableBytes, sizeBytes, inodeUtilization } = filesystem;
  const inodes = inodeUtilization === null ? '' : `, ${(inodeUtilization * 100).toFixed(1)} % of inodes in use`;
  return `${path}: ${mib(availableBytes)} of ${mib(sizeBytes)} MiB left${inodes}`;
}

function mib(bytes: number): string {
  return (bytes / MIB).toFixed(bytes < 100 * MIB ? 1 : 0);
}
