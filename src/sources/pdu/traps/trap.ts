// Trap: what a device sent unasked, whatever the version: which it is, what it carries, when it came. Never throws.

import { rawText } from '../decode.ts';
import { normalOid } from '../oid.ts';

export interface Trap {
  /** The identifiers under which a catalogue may have it: a v1 trap has one with and one without the zero before its number. */
  readonly oids: readonly string[];
  readonly varbinds: readonly { readonly oid: string; readonly value: unknown }[];
  /** When it came, epoch ms on the steady clock. */
  readonly timeMs: number;
  /** Its sender is proven by a key. */
  readonly authenticated: boolean;
}

const SNMP_TRAP_OID = '1.3.6.1.6.3.1.1.4.1.0';
/** RFC 3584: generic traps of v1. */
const GENERIC = '1.3.6.1.6.3.1.1.5';
const ENTERPRISE_SPECIFIC = 6;
const MOST_VARBINDS = 64;

interface LibraryPdu {
  readonly enterprise?: unknown;
  readonly generic?: unknown;
  readonly specific?: unknown;
  readonly varbinds?: unknown;
}

/** Null where it says nothing of what it is. */
export function trapOf(pdu: LibraryPdu, timeMs: number, authenticated = false): Trap | null {
  const list = Array.isArray(pdu.varbinds) ? pdu.varbinds.slice(0, MOST_VARBINDS) : [];
  const varbinds = list.map((each: { oid?: unknown; value?: unknown } | null) => ({
    oid: normalOid(String(each?.oid ?? '')),
    value: each?.value ?? null,
  }));
  const oids =
    pdu.enterprise === undefined
      ? v2Oids(varbinds)
      : v1Oids(String(pdu.enterprise), Number(pdu.generic), Number(pdu.specific));
  return oids.length === 0 ? null : { oids, varbinds, timeMs, authenticated };
}

function v1Oids(enterprise: string, generic: number, specific: number): string[] {
  if (!Number.isInteger(generic) || !Number.isInteger(specific)) return [];
  if (generic !== ENTERPRISE_SPECIFIC) return [`${GENERIC}.${generic + 1}`];
  return [`${normalOid(enterprise)}.0.${specific}`, `${normalOid(enterprise)}.${specific}`];
}

function v2Oids(varbinds: Trap['varbinds']): string[] {
  const text = rawText(varbinds.find(({ oid }) => oid === SNMP_TRAP_OID)?.value);
  return text === null ? [] : [normalOid(text)];
}
