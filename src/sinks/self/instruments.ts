// Instruments: made from the table of the daemon's own metrics, so that no name, unit or description is written twice.

import type { Meter } from '@opentelemetry/api';
import catalog from '#catalog/self-metrics.json' with { type: 'json' };

type Name = keyof typeof catalog.metrics;

/** Every instrument of the table by its name; a name that the table does not have does not compile. */
export class Instruments {
  readonly #meter: Meter;

  constructor(meter: Meter) {
    this.#meter = meter;
  }

  counter(name: Name) {
    return this.#meter.createCounter(name, about(name));
  }

  histogram(name: Name, boundaries: readonly number[]) {
    return this.#meter.createHistogram(name, {
      ...about(name),
      advice: { explicitBucketBoundaries: [...boundaries] },
    });
  }

  observableCounter(name: Name) {
    return this.#meter.createObservableCounter(name, about(name));
  }

  observableUpDownCounter(name: Name) {
    return this.#meter.createObservableUpDownCounter(name, about(name));
  }

  observableGauge(name: Name) {
    return this.#meter.createObservableGauge(name, about(name));
  }
}

function about(name: Name): { unit: string; description: string } {
  const [unit, , description] = catalog.metrics[name];
  return { unit: String(unit), description: String(description) };
}
