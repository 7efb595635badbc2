// Doors: what becomes of each signal: spans and metrics are the load of services.

import type { Emit } from '../../model/record.ts';
import { Services, type ServicesOptions } from './impact/services.ts';
import { TakeMetrics } from './impact/take-metrics.ts';
import { takeTraces } from './impact/take-traces.ts';
import type { Doors } from './receive/signals.ts';

export interface OpenDoors extends Doors {
  /** What the health adds: "3 services". */
  readonly seen: () => string;
  readonly stop: () => void;
}

export type DoorOptions = Omit<ServicesOptions, 'emit' | 'now'>;

export function openDoors(options: DoorOptions): (emit: Emit) => OpenDoors {
  return (emit) => {
    // Spans and points carry the wall clock of their host.
    const services = new Services({ ...options, now: Date.now, emit });
    const metrics = new TakeMetrics(services);
    return {
      traces: (request) => takeTraces(request, services, Date.now()),
      metrics: (request) => metrics.take(request, Date.now()),
      seen: () => `${services.size} services${services.leftOut > 0 ? `, requests of further ones left out` : ''}`,
      stop: () => services.stop(),
    };
  };
}
