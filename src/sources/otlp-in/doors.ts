// Doors: what becomes of each signal: spans and metrics are the load of services, log records are lines of jobs, services and hosts.

import type { Emit } from '../../model/record.ts';
import type { ProgramWork } from '../text-in/receiver-settings.ts';
import type { TextIntake } from '../text-in/text-intake.ts';
import { Services, type ServicesOptions } from './impact/services.ts';
import { TakeMetrics } from './impact/take-metrics.ts';
import { takeTraces } from './impact/take-traces.ts';
import { takeLogs } from './logs/take-logs.ts';
import type { Doors } from './receive/signals.ts';

export interface OpenDoors extends Doors {
  /** What the health adds: "3 services". */
  readonly seen: () => string;
  /** What of all that came is not followed, and how it would be. */
  readonly notes: () => readonly string[];
  readonly stop: () => void;
}

export interface DoorOptions extends Omit<ServicesOptions, 'emit' | 'now'> {
  readonly intake: TextIntake;
  readonly work: readonly ProgramWork[];
  /** Histograms that are followed besides those of the catalogue. */
  readonly histograms?: readonly string[];
}

export function openDoors(options: DoorOptions): (emit: Emit) => OpenDoors {
  return (emit) => {
    // Spans and points carry the wall clock of their host.
    const services = new Services({ ...options, now: Date.now, emit });
    const metrics = new TakeMetrics(services, options.histograms);
    const { intake, work, view, shippers = [] } = options;
    let position = 0;
    return {
      traces: (request, sender) => takeTraces(request, services, Date.now(), sender),
      metrics: (request, sender) => metrics.take(request, Date.now(), sender),
      logs: (request, sender) => {
        const taking = { intake, emit, way: 'otlp', view, work, passed: { sender, shippers }, position };
        const taken = takeLogs(request, taking);
        position = taking.position;
        return taken;
      },
      seen: () =>
        `${services.size} services${services.leftOut > 0 ? `, requests of further ones left out` : ''}${linesOf(intake)}`,
      notes: () =>
        metrics.unknown.length === 0
          ? []
          : [
              `histograms of durations that are not followed: ${metrics.unknown.join(', ')}. Name them under sources.otlp_in.histograms`,
            ],
      stop: () => services.stop(),
    };
  };
}

/** Empty where no log record came. */
function linesOf(intake: TextIntake): string {
  const leftOut = intake.leftOut();
  return intake.taken === 0 && leftOut === '' ? '' : `, ${intake.taken} lines${leftOut}`;
}
