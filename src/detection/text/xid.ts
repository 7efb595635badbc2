// What an XID number means: the catalogue row, and the event that it makes for the source that saw the number.

import catalog from '#catalog/xid.json' with { type: 'json' };
import type { Action } from '../../model/action.ts';
import type { Component } from '../../model/component.ts';
import { type Kind, kindInfo } from '../../model/kind.ts';
import type { EventInput } from '../../model/record.ts';
import type { Severity } from '../../model/severity.ts';
import type { Finding } from './kernel/finding.ts';

/**
 * What is public of a code. documented: NVIDIA says what it means; retired: it did for GPUs before Ampere, and lists it as unused since;
 * reserved: set aside; name_only: nothing but the name is public.
 */
export type XidStatus = 'documented' | 'retired' | 'reserved' | 'name_only';

export interface XidInfo {
  /** NVIDIA's name, without "ROBUST_CHANNEL_". */
  readonly mnemonic: string;
  readonly kind: Kind;
  /** Left out: the kind's own. */
  readonly severity?: Severity;
  readonly action: Action;
  /** Whose fault it usually is: app, driver, memory, link, firmware, power ... */
  readonly class: string;
  /** Follows from another fault and is never a root by itself. */
  readonly consequence: boolean;
  readonly note: string;
  readonly status: XidStatus;
  /** The data-centre GPUs that NVIDIA's catalogue gives it for: A100, H100, B100, GB200. */
  readonly gpus: readonly string[];
  /** NVIDIA's own words for what to do at once and what to look into. */
  readonly nvidia: readonly string[];
  /** Codes that this one brings with it on the same GPU. */
  readonly brings?: readonly number[];
  /** Where the row is from: names of `sources` in the catalogue. */
  readonly sources: readonly string[];
}

export const XID_CATALOG_VERSION: string = catalog.version;

const rows = new Map<number, XidInfo>();
// The cast narrows words to their closed lists; test/detection/text/xid.test.ts checks every row against those lists.
for (const [code, row] of Object.entries(catalog.xids)) rows.set(Number(code), row as XidInfo);

export const XID_CODES: readonly number[] = [...rows.keys()];

/** The row of this code; null when the catalogue does not know it. */
export function xidInfo(xid: number): XidInfo | null {
  return rows.get(xid) ?? null;
}

/**
 * What a bare XID number is, as NVML, a kernel line or a device plugin reports it. A code that the catalogue does not know is
 * an honest `gpu.fault` of severity error: something broke and how badly is not known yet. `attributes.action` is there
 * where the catalogue advises something else than the kind does.
 */
export function xidFacts(xid: number): Pick<Finding, 'kind' | 'severity' | 'attributes'> {
  const info = xidInfo(xid);
  if (info === null) {
    const note = `XID ${xid} is not in the catalogue ${XID_CATALOG_VERSION}`;
    return { kind: 'gpu.fault', severity: 'error', attributes: { xid, catalog: XID_CATALOG_VERSION, note } };
  }
  return {
    kind: info.kind,
    ...(info.severity === undefined ? {} : { severity: info.severity }),
    attributes: {
      xid,
      mnemonic: info.mnemonic,
      class: info.class,
      ...(info.consequence ? { consequence: true } : {}),
      ...(info.action === kindInfo(info.kind).action ? {} : { action: info.action }),
      catalog: XID_CATALOG_VERSION,
      note: info.note,
    },
  };
}

/** The event of it. */
export function xidEvent(
  xid: number,
  component: Component | null,
  base: Omit<EventInput, 'kind' | 'component'>,
): EventInput {
  const { attributes, ...facts } = xidFacts(xid);
  return { ...base, ...facts, component, attributes: { ...base.attributes, ...attributes } };
}

/** The same where the driver names the MIG instance that it happened on, by its id; null: it names none. */
export function onInstance(event: EventInput, instance: number | null): EventInput {
  const { component, kind } = event;
  if (instance === null || component?.type !== 'gpu') return event;
  const action = event.attributes?.action ?? kindInfo(kind).action;
  // The other instances run on: their GPU is reset only once they are drained.
  const drained = action === 'reset_gpu' ? { action: 'drain_reset_gpu' } : {};
  const attributes = { ...event.attributes, gpu_instance: `gpu_instance/${component.id}/${instance}`, ...drained };
  return { ...event, attributes };
}
