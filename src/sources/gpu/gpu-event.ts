// GPU event: what a notice of the vendor child means, as an event; the table of the driver's events is data.

import catalog from '#catalog/gpu-detectors.json' with { type: 'json' };
import { onInstance, xidEvent } from '../../detection/text/xid.ts';
import type { Component } from '../../model/component.ts';
import type { Attributes, Evidence } from '../../model/event.ts';
import type { Kind } from '../../model/kind.ts';
import type { EventInput } from '../../model/record.ts';
import type { Severity } from '../../model/severity.ts';
import type { Notice } from '../../native.ts';

/** NVML return codes (nvml.h, nvmlReturn_t) that mean that one device is gone, or waits for a reset. */
const GPU_IS_LOST = 15;
const RESET_REQUIRED = 16;

interface DriverEvent {
  readonly kind: string | null;
  readonly severity?: string;
  /** Attribute that carries the event's number. */
  readonly tells?: string;
  /** From this number on the event is graver. */
  readonly grave?: { readonly value: number; readonly severity: string; readonly action: string };
}

const driverEvents = new Map<string, DriverEvent>(Object.entries(catalog.events));

type Base = Omit<EventInput, 'kind' | 'component'>;

/** Null where the notice is no news for anybody. `base` says when and by whom. */
export function gpuEvent(notice: Notice, component: Component | null, host: string, origin: Base): EventInput | null {
  const base = { ...origin, evidence: [evidenceOf(notice)] };
  switch (notice.type) {
    case 'xid':
      return onInstance(xidEvent(notice.value, component, base), instanceOf(notice.text));
    case 'gpu_event':
      return driverEvent(notice, component, base);
    case 'gpu_reset':
      return { ...base, kind: 'gpu.reset', component, attributes: { how: notice.name, text: notice.text } };
    case 'device_lost': {
      const kind = notice.value === GPU_IS_LOST ? 'gpu.lost' : 'gpu.fault';
      const action = notice.value === RESET_REQUIRED ? { action: 'reset_gpu' } : {};
      const attributes = { nvml_return: notice.value, call: notice.name, text: notice.text, ...action };
      return { ...base, kind, component, attributes };
    }
    case 'call_stalled': {
      const attributes = { call: notice.name, stalled_ms: notice.value };
      return { ...base, kind: 'gpu.call_stalled', component, attributes };
    }
    case 'child_exit': {
      const reason = `vendor child ${notice.name}`;
      const attributes = { source: 'gpu', reason, detail: notice.text, status: notice.value };
      return { ...base, kind: 'agent.source_failed', trust: 'system', component: null, attributes };
    }
    case 'state': {
      if (notice.name !== 'access_lost') return null;
      const all: Component = { type: 'host', id: host };
      return { ...base, kind: 'gpu.access_lost', component: all, attributes: { text: notice.text } };
    }
    default:
      return null;
  }
}

/** "gi 1 ci 0; …" → 1: the MIG instance that the driver says it was. */
function instanceOf(text: string): number | null {
  const match = /^gi (\d{1,3})\b/.exec(text);
  return match === null ? null : Number(match[1]);
}

/** An event that the table does not know is worth keeping, and no fault. */
function driverEvent(notice: Notice, component: Component | null, base: Base): EventInput | null {
  const known = driverEvents.get(notice.name);
  if (known?.kind === null) return null;
  const attributes: Attributes = {
    event: notice.name,
    ...(notice.text === '' ? {} : { text: notice.text }),
    ...(known?.tells === undefined ? { value: notice.value } : { [known.tells]: notice.value }),
  };
  const kind = (known?.kind ?? 'gpu.driver_notice') as Kind; // held against the list in test/detection/rule-row.test.ts
  const grave = known?.grave !== undefined && notice.value >= known.grave.value ? known.grave : null;
  const severity = (grave?.severity ?? known?.severity) as Severity | undefined; // likewise
  return {
    ...base,
    kind,
    component,
    ...(severity === undefined ? {} : { severity }),
    attributes: grave === null ? attributes : { ...attributes, action: grave.action },
  };
}

/** What the vendor library or its supervisor said, in its own terms. */
function evidenceOf(notice: Notice): Evidence {
  const { name, value, text } = notice;
  const said: Readonly<Record<string, string>> = {
    xid: `NVML event: XID ${value}`,
    gpu_event: `NVML event: ${name} ${value}${text === '' ? '' : ` (${text})`}`,
    gpu_reset: `${name}: ${text}`,
    device_lost: `${name} returned ${value}${text === '' ? '' : ` (${text})`}`,
    call_stalled: `${name} had not returned after ${value} ms`,
    child_exit: `vendor child ${name} ${value}${text === '' ? '' : `: ${text}`}`,
  };
  return { source: 'gpu', timeMs: notice.timeMs, text: said[notice.type] ?? text };
}
