// Left read-only: that a file system became read-only with a fault of its disk is said in the title, for nothing more can be written on the host.

import { shortened } from '../../model/shortened.ts';
import type { Cluster } from '../belief/condition.ts';

const LONGEST = 32;

/** `, file system sda2 became read-only`, of XFS `was shut down`, to come behind the title; empty where none did, or it is what the title says itself. */
export function leftReadOnly({ root, members }: Pick<Cluster, 'root' | 'members'>): string {
  if (!root.kind.startsWith('storage.') || root.kind === 'storage.readonly') return '';
  const found = members.find(({ condition: { kind, component, first } }) => {
    // A server's refusal is of no disk here.
    return kind === 'storage.readonly' && component !== null && typeof first.attributes.server !== 'string';
  });
  if (found === undefined) return '';
  const { device, what } = found.condition.first.attributes;
  const became = what === 'shutdown' ? 'was shut down' : 'became read-only';
  return `, ${typeof device === 'string' ? `file system ${shortened(device, LONGEST)}` : 'its file system'} ${became}`;
}
