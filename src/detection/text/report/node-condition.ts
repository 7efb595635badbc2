// Node condition: a row of the conditions that `describe node` prints, and what it says: what the kubelet sets, and what detectors of problems do.

import type { AttributeValue } from '../../../model/event.ts';
import type { Kind } from '../../../model/kind.ts';
import type { Severity } from '../../../model/severity.ts';
import { evidenceText } from '../evidence.ts';
import { xidFacts } from '../xid.ts';

/**
 * "  MemoryPressure   False   Wed, 05 Aug 2026 12:43:36 +0530   …   KubeletHasSufficientMemory   …": a pod's conditions have no times, and
 * an event has its type first (kubectl's describe.go).
 */
const CONDITION =
  /^\s{0,8}([A-Z][A-Za-z]{3,40})\s{1,40}(True|False|Unknown)\s{1,40}(?:[A-Z][a-z]{2}, \d{1,2} |<unknown>|\d{4}-\d\d-\d\dT|[A-Z][A-Za-z]{3,60}(?:\s|$))(.{0,400})$/;
const DATE = '[A-Z][a-z]{2}, \\d{2} [A-Z][a-z]{2} \\d{4} \\d\\d:\\d\\d:\\d\\d [+-]\\d{4}';
/** A condition's two times: when it was last heard of, and since when it is so. */
const TWO_DATES = new RegExp(`\\s${DATE}\\s{1,40}(${DATE})\\s`);
/** Of the kubelet, and of those of its events that say the same. */
export const PRESSURES: Readonly<Record<string, string>> = {
  MemoryPressure: 'memory',
  DiskPressure: 'disk',
  PIDPressure: 'pid',
  OutOfDisk: 'disk',
  NodeHasDiskPressure: 'disk',
  HasDiskPressure: 'disk',
  NodeHasInsufficientMemory: 'memory',
  HasInsufficientMemory: 'memory',
  NodeHasInsufficientPID: 'pid',
  HasInsufficientPID: 'pid',
  FreeDiskSpaceFailed: 'disk',
  EvictionThresholdMet: 'unknown',
};
/** A condition that a detector of problems sets: its name says that it is none to have. */
const PROBLEM =
  /(?:Error|Problem|Failure|Failed|Unhealthy|Deadlock|Fault|Unavailable|Hung|Corrupt\w{0,20}|Lost|Overheat\w{0,8})$/;
/** The same where its name says that it is one to have: "GPUHealthy", "NVLinkOK", "NetworkReady". */
const TO_HAVE = /^(?!Ready$).*(?<!Un)(?:Healthy|OK|Ok|Good|Operational|Functional|Ready)$/;
/** The driver's number, as a detector hands it on, and the GPU. */
const XID = /\bX[Ii][Dd]s?[ :=#]{1,3}(\d{1,3})\b/;
const UUID = /\bGPU-[0-9a-f][0-9a-f-]{3,35}\b/;

export interface NodeCondition {
  readonly kind: Kind;
  readonly attributes: Readonly<Record<string, AttributeValue>>;
  readonly severity?: Severity;
  /** Of which GPU it is; left out: of the node. */
  readonly uuid?: string;
  /** Since when; left out where the line has no times. */
  readonly timeMs?: number;
}

/** Null where the line is not a condition; undefined where it is one and nothing is wrong. */
export function nodeCondition(line: string): NodeCondition | null | undefined {
  const [, type = '', value, rest = ''] = CONDITION.exec(line) ?? [];
  if (value === undefined) return null;
  const said = saidBy(type, value, rest, line);
  if (said === null) return rest === '' && value !== 'True' ? null : undefined;
  const timeMs = Date.parse(TWO_DATES.exec(line)?.[1] ?? '');
  return Number.isNaN(timeMs) ? said : { ...said, timeMs };
}

function saidBy(type: string, value: string, rest: string, line: string): NodeCondition | null {
  const isSilent = type === 'Ready' || /NodeStatusUnknown|Kubelet stopped posting/.test(line);
  if (value === 'Unknown')
    return isSilent ? { kind: 'host.not_ready', attributes: { condition: 'Ready', status: 'Unknown' } } : null;
  if (type === 'Ready' && value === 'False')
    return { kind: 'host.not_ready', attributes: { condition: 'Ready', status: 'False', ...reasonIn(rest) } };
  if (value === 'False') return TO_HAVE.test(type) ? problem(type, rest) : null;
  const resource = PRESSURES[type];
  if (resource !== undefined) return { kind: 'host.pressure', attributes: { condition: type, resource } };
  if (PROBLEM.test(type)) return problem(type, rest);
  return type === 'ReadonlyFilesystem' ? { kind: 'storage.readonly', attributes: { condition: type } } : null;
}

/** How bad a condition is that is known by its name alone, nothing says; a number of the driver does. */
function problem(type: string, rest: string): NodeCondition {
  const attributes = { condition: evidenceText(type), ...reasonIn(rest) };
  const xid = XID.exec(rest)?.[1];
  if (xid === undefined) return { kind: 'host.degraded', severity: 'error', attributes };
  const uuid = UUID.exec(rest)?.[0];
  const facts = xidFacts(Number(xid));
  return { ...facts, attributes: { ...facts.attributes, ...attributes }, ...(uuid === undefined ? {} : { uuid }) };
}

/** What a condition's last column says; the others have no blanks of their own. */
function reasonIn(columns: string): Readonly<Record<string, string>> {
  const reason =
    columns
      .trim()
      .split(/\s{2,}/)
      .at(-1) ?? '';
  return /\S \S/.test(reason) ? { reason: evidenceText(reason) } : {};
}
