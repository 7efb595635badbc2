// The report as PowerTrace's JSON has it; times are true UTC with their milliseconds.

import type { Step } from './chain.ts';
import type { PowerTraceIncident, PowerTraceReport } from './incidents.ts';

export function powerTraceDocument(report: PowerTraceReport, generatedMs: number): object {
  return {
    report: {
      generated_at: `${new Date(generatedMs).toISOString().slice(0, 19)}Z`,
      incidents: report.incidents.map(incidentDocument),
      summary: {
        total_events_processed: report.events,
        total_incidents_detected: report.incidents.length,
        total_unmapped_devices: report.unmappedDevices,
        total_warnings: report.warnings,
      },
    },
  };
}

function incidentDocument(incident: PowerTraceIncident): object {
  const { chain, degradation } = incident;
  const { steps } = chain;
  return {
    id: incident.id,
    window_start: utc(incident.startS),
    window_end: utc(incident.endS),
    duration_seconds: incident.durationS,
    overall_confidence: chain.confidence,
    low_confidence: incident.isLow,
    affected_services: [degradation.service],
    causal_chain: [...steps.map((step, index) => stepDocument(step, steps[index - 1])), impactStep(incident, steps)],
    impact: incident.impact,
    warnings: incident.warnings,
    unmapped_devices: chain.unmapped,
  };
}

function stepDocument({ event, score, lag, indirect }: Step, before: Step | undefined): object {
  return {
    event_id: event.id,
    timestamp: utc(event.at),
    source: event.source,
    type: event.type,
    device_id: event.device,
    caused_by: before?.event.id ?? null,
    // The first one's score counts in the mean and is not shown.
    confidence: before === undefined ? null : score,
    lag_seconds: lag,
    indirect_causality: indirect,
  };
}

function impactStep({ chain, degradation: { service, startS } }: PowerTraceIncident, steps: readonly Step[]): object {
  return {
    event_id: `trace_impact_${service}`,
    timestamp: utc(startS),
    source: 'otel_traces',
    type: 'trace_degradation',
    device_id: service,
    caused_by: steps.at(-1)?.event.id ?? null,
    confidence: chain.confidence,
    lag_seconds: 0,
    indirect_causality: false,
  };
}

function utc(atS: number): string {
  return new Date(Math.floor(atS * 1000 + 1e-3)).toISOString();
}
