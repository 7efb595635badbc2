// GPU event: what a notice of the vendor child means, as an event; the table of the driver's events is data.

import catalog from '#catalog/gpu-detectors.json' with { type: 'json' };
import { onInstance, xidEvent } from '../../detection/text/xid.ts';
import type { Component } from '../../model/component.ts';
import type { Attributes } from '../../model/event.ts';
import type { Kind } from '../../model/kind.ts';
import type { EventInput } from '../../model/record.ts';
import type { Severity } from '../../model/severity.ts';
import type { Notice, NoticeOf } from '../../native.ts';

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
type Origin = Omit<Base, 'discriminator' | 'evidence'>;

/** Null where the notice is not an event of its own. `origin` says when and by whom. */
export function gpuEvent(notice: Notice, component: Component | null, host: string, origin: Origin): EventInput | null {
  switch (notice.name) {
    case 'xid': {
      const base = said(origin, `xid::${notice.xid}`, `NVML event: XID ${notice.xid}`);
      return onInstance(xidEvent(notice.xid, component, base), instanceOf(notice.text));
    }
    case 'gpu_event':
      return driverEvent(notice, component, origin);
    case 'gpu_reset': {
      const { how, text } = notice;
      const base = said(origin, `gpu_reset:${how}:0`, `${how}: ${text}`);
      return { ...base, kind: 'gpu.reset', component, attributes: { how, text } };
    }
    case 'device_lost': {
      const { call, returnCode, text } = notice;
      const kind = returnCode === GPU_IS_LOST ? 'gpu.lost' : 'gpu.fault';
      const action = returnCode === RESET_REQUIRED ? { action: 'reset_gpu' } : {};
      const attributes = { nvml_return: returnCode, call, text, ...action };
      const base = said(
        origin,
        `device_lost:${call}:${returnCode}`,
        `${call} returned ${returnCode}${inBrackets(text)}`,
      );
      return { ...base, kind, component, attributes };
    }
    case 'call_stalled': {
      const { call, stalledMs } = notice;
      const base = said(
        origin,
        `call_stalled:${call}:${stalledMs}`,
        `${call} had not returned after ${Math.round(stalledMs)} ms`,
      );
      return { ...base, kind: 'gpu.call_stalled', component, attributes: { call, stalled_ms: stalledMs } };
    }
    case 'child_exit': {
      const { how, status, text } = notice;
      const evidence = `vendor child ${how} ${status}${text === '' ? '' : `: ${text}`}`;
      const base = said(origin, `child_exit:${how}:${status}`, evidence);
      const attributes = { source: 'gpu', reason: `vendor child ${how}`, detail: text, status };
      return { ...base, kind: 'agent.source_failed', trust: 'system', component: null, attributes };
    }
    case 'state': {
      const { state, reason, value } = notice;
      if (state !== 'access_lost') return null;
      const all: Component = { type: 'host', id: host };
      const base = said(origin, `state:${state}:${value}`, reason);
      return { ...base, kind: 'gpu.access_lost', component: all, attributes: { text: reason } };
    }
    default:
      return null;
  }
}

/** `text`: what the vendor library or its supervisor reported, in its own terms. The discriminator is part of event ids. */
function said(origin: Origin, discriminator: string, text: string): Base {
  return { ...origin, discriminator, evidence: [{ source: 'gpu', timeMs: origin.timeMs, text }] };
}

const inBrackets = (text: string): string => (text === '' ? '' : ` (${text})`);

/** "gi 1 ci 0; …" → 1: the MIG instance that the driver says it was. */
function instanceOf(text: string): number | null {
  const match = /^gi (\d{1,3})\b/.exec(text);
  return match === null ? null : Number(match[1]);
}

/** An event that the table does not know is worth keeping, and no fault. */
function driverEvent(notice: NoticeOf<'gpu_event'>, component: Component | null, origin: Origin): EventInput | null {
  const { event, value, text } = notice;
  const known = driverEvents.get(event);
  if (known?.kind === null) return null;
  const base = said(origin, `gpu_event:${event}:${value}`, `NVML event: ${event} ${value}${inBrackets(text)}`);
  const attributes: Attributes = {
    event,
    ...(text === '' ? {} : { text }),
    ...(known?.tells === undefined ? { value } : { [known.tells]: value }),
  };
  const kind = (known?.kind ?? 'gpu.driver_notice') as Kind; // held against the list in test/detection/rule-row.test.ts
  const grave = known?.grave !== undefined && value >= known.grave.value ? known.grave : null;
  const severity = (grave?.severity ?? known?.severity) as Severity | undefined; // likewise
  return {
    ...base,
    kind,
    component,
    ...(severity === undefined ? {} : { severity }),
    attributes: grave === null ? attributes : { ...attributes, action: grave.action },
  };
}
