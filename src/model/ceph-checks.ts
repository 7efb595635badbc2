// Ceph checks: what a check of a Ceph cluster's health is by its code, and what to do about it, by catalog/ceph-health.json.

import catalog from '#catalog/ceph-health.json' with { type: 'json' };
import type { Kind } from './kind.ts';
import type { Severity } from './severity.ts';

export interface CephCheck {
  /** Of which a code is one; a pattern where CRUSH types are in it. */
  readonly codes: readonly string[];
  readonly kind: Kind;
  /** Left out: the kind's own. */
  readonly severity?: Severity;
  readonly reason?: string;
  /** What the message of one that failed has; others of the code are no event. */
  readonly only?: string;
  readonly example: string;
  readonly title: string;
  readonly do: string;
  readonly now: string;
  readonly source: string;
}

export const CEPH_CHECKS = catalog.checks as readonly CephCheck[]; // held against kinds and severities by test/detection/text/ceph-health.test.ts
export const ORDINARY_CHECKS: readonly string[] = catalog.ordinary;
export const CEPH_CALL: string = catalog.call;

const FORMS = CEPH_CHECKS.map((check) => ({ check, form: new RegExp(`^(?:${check.codes.join('|')})$`) }));

/** Null for a code that is not known, or that no one needs to act on. */
export function cephCheck(code: unknown): CephCheck | null {
  if (typeof code !== 'string' || ORDINARY_CHECKS.includes(code)) return null;
  return FORMS.find(({ form }) => form.test(code))?.check ?? null;
}

/** Of a line that has no code: what the rows of older forms call it. */
export function cephCheckByReason(reason: unknown): CephCheck | null {
  return (reason !== undefined && CEPH_CHECKS.find((check) => check.reason === reason)) || null;
}

/** Below a check: "host ceph05 (root=default) (8 osds) is down", "osd.40 (root=default,host=ceph05) is down". */
const DOWN =
  /^\s{0,12}(?:host (?<host>[A-Za-z0-9][\w.-]{1,62}) \(.{1,120}\) \(\d{1,4} osds?\)|osd\.\d{1,6} \((?:[^()]{0,120},)?host=(?<of>[A-Za-z0-9][\w.-]{1,62})(?:,[^()]{0,120})?\)) is down$/;

/** The host whose OSDs are down by such a detail; null for any other line. */
export function hostOfOsdsIn(line: string): string | null {
  const { host, of } = DOWN.exec(line)?.groups ?? {};
  return host ?? of ?? null;
}
