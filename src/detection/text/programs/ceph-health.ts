// Ceph health: lines of a Ceph cluster that give the code of a check, which says what it is whatever words the release has for it.

import { cephCheck, hostOfOsdsIn } from '../../../model/ceph-checks.ts';
import type { AttributeValue } from '../../../model/event.ts';
import type { StateFinding } from '../kernel/finding.ts';

/** The monitor that wrote the line is a host where its name is more than a letter. */
const MONITOR =
  /^(?:mon\.(?:(?<node>(?=[\w.-]{0,62}[a-z])[A-Za-z0-9][\w.-]{2,62})|\S{1,64}) (?:\(mon\.\d{1,3}\)|mon\.\d{1,3} \S{1,64}) \d{1,12} : )/;
/** "cluster [WRN] " of the cluster's log, "0 log_channel(cluster) log [WRN] : " of the monitor's own. */
const CHANNEL = /^(?:(?:\w{1,20} )?-?\d{1,2} log_channel\(cluster\) log \[\w{3}\] : |(?:cluster )?\[\w{3}\] )/;
const FAILED = /^Health check (?:failed|update): (?!0 ).{1,600} \((?<code>[A-Z][A-Z0-9_]{3,47})\)$/;
const CLEARED = /^Health check cleared: (?<code>[A-Z][A-Z0-9_]{3,47}) \(was: .{1,600}\)$/;
/** Of `ceph health detail`: "[WRN] MON_DOWN: 1/3 mons down", of old "MON_DOWN 1/3 mons down", and without the level. */
const DETAIL =
  /^\s{0,8}(?:(?:\(MUTED[^)]{0,80}\) )?\[(?:WRN|ERR)\] (?<code>[A-Z][A-Z0-9_]{3,47}):|(?<old>[A-Z]{2,12}_[A-Z0-9_]{2,36}):?) (?!0 )\S.{0,600}$/;

/** What the line says of the host that it is about, or that wrote it; null where it has no code that is known. */
export function cephFinding(text: string, host: string): StateFinding | null {
  const down = hostOfOsdsIn(text);
  if (down !== null) return downAt(down, host);
  const { node } = MONITOR.exec(text)?.groups ?? {};
  const said = text.replace(MONITOR, '').replace(CHANNEL, '');
  const cleared = CLEARED.exec(said)?.groups?.code;
  const { code, old } = (FAILED.exec(said) ?? DETAIL.exec(text))?.groups ?? {};
  const check = cephCheck(cleared ?? code ?? old);
  if (check === null) return null;
  if (cleared === undefined && check.only !== undefined && !new RegExp(check.only).test(said)) return null;
  const name = cleared ?? code ?? old ?? '';
  const attributes: Record<string, AttributeValue> = { program: 'ceph-mon', file_system: 'ceph', check: name };
  if (check.reason !== undefined) attributes.reason = check.reason;
  return {
    kind: check.kind,
    component: { type: 'host', id: node ?? host },
    ...(check.severity === undefined ? {} : { severity: check.severity }),
    ...(cleared === undefined ? {} : { state: 'clear' as const }),
    discriminator: name,
    attributes,
  };
}

/** The host whose OSDs are down, as a detail of the check. */
function downAt(at: string, host: string): StateFinding {
  const attributes = { program: 'ceph-mon', file_system: 'ceph', check: 'OSD_DOWN', reason: 'osd down', osd_host: at };
  return {
    kind: 'storage.stall',
    component: { type: 'host', id: host },
    severity: 'warning',
    discriminator: `OSD_DOWN ${at}`,
    attributes,
  };
}

/** Of which every such line has one. */
export const CEPH_WORDS: readonly string[] = ['Health check ', '[WRN] ', '[ERR] ', ' osds) is down', 'host='];
