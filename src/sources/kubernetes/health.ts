// Health of the Kubernetes source: which step of the ladder is taken, what each of the others lacks, and what is lost without.

import type { SourceHealth } from '../source.ts';
import type { ClaimNames } from './claims/claim-names.ts';
import type { MissingStep } from './feeds.ts';
import type { FoundRoot } from './find-root.ts';
import type { DeviceList } from './kubelet/device-list.ts';
import type { NodeWatch } from './node-watch.ts';
import type { Ladder } from './pod/ladder.ts';
import type { PodBook } from './pod/pod-book.ts';
import type { KubernetesSettings } from './settings.ts';

const SOURCE = 'kubernetes';
const RIGHTS = 'docs/guide/kubernetes.md#rights';

export interface HealthParts {
  readonly settings: KubernetesSettings;
  readonly looked: boolean;
  readonly root: FoundRoot | null;
  readonly ladder: Ladder | null;
  readonly missing: readonly MissingStep[];
  readonly devices: DeviceList | null;
  readonly claims: ClaimNames | null;
  readonly node: NodeWatch | null;
  readonly book: PodBook;
}

export function healthOf(parts: HealthParts): SourceHealth {
  const { looked, ladder, root, settings } = parts;
  if (!looked) return { source: SOURCE, status: 'absent', detail: 'starting', remedy: null };
  if (ladder === null) {
    const detail = `FL2701 no kubelet here: ${settings.kubeletRoot ?? 'none of the usual folders is there'}, and no API server is set`; // biome-ignore format: one line
    return { source: SOURCE, status: 'absent', detail, remedy: settings.enabled === 'on' ? 'sources.kubernetes.kubelet_root names its root folder' : null }; // biome-ignore format: one record
  }
  const { taken } = ladder;
  const devices = deviceState(parts);
  const notes = [
    ...stepNotes(parts),
    `devices: ${devices.text}`,
    ...[parts.claims?.note ?? []].flat(),
    ...(parts.node === null ? [] : [parts.node.note]),
  ];
  const pods = `${parts.book.size} pods by ${taken?.name ?? 'none of the steps'}`;
  const left = parts.book.left === 0 ? [] : [`${parts.book.left} deleted whose processes still run`];
  const trouble = taken?.trouble === null || taken === null ? [] : [`FL2703 ${taken.trouble.message}`];
  const detail = [pods, devices.text, ...left, ...trouble, ...(taken?.notes ?? [])].join('; ');
  if (taken !== null && devices.works && trouble.length === 0)
    return { source: SOURCE, status: 'works', detail, remedy: null, notes };
  const denied = root?.shut === true || devices.denied;
  const remedy = denied ? `give Faultline kubelet's sockets: ${RIGHTS}` : trouble.length > 0 ? 'nothing: what is known stays, and it is asked again' : `see which step can be had here: ${RIGHTS}`; // biome-ignore format: one line
  if (taken === null && !devices.works)
    return { source: SOURCE, status: denied ? 'no_permission' : 'failed', detail, remedy, notes };
  return { source: SOURCE, status: 'partial', detail, remedy, notes };
}

function deviceState({ devices, root, book }: HealthParts): { works: boolean; denied: boolean; text: string } {
  if (devices === null || root === null)
    return { works: false, denied: false, text: 'FL2702 which devices pods were given is not known: no kubelet root' };
  const { error, works, bytes, reads } = devices;
  const given = `${book.containersWithDevices} containers with devices`;
  if (works) return { works, denied: false, text: `${given} (PodResources, ${bytes} bytes)` };
  const why = error?.message ?? 'not asked yet';
  if (reads > 0) return { works, denied: false, text: `${given} by the last answer; FL2703 ${why}` };
  return {
    works,
    denied: error?.fault === 'denied',
    text: `FL2702 which devices pods were given is not known: ${why}`,
  };
}

/** One line for each step, in their order. */
function stepNotes({ ladder, missing }: HealthParts): string[] {
  const tried = (ladder?.rungs ?? []).map(({ feed, why }) => {
    if (feed === ladder?.taken) return `${feed.name}: taken`;
    return `${feed.name}: ${why ?? 'not tried, one before it works'}; needs ${feed.needs}`;
  });
  return [...tried, ...missing.map(({ step, why }) => `${step}: ${why}`)];
}
