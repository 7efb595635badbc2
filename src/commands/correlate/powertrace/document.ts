// The report as PowerTrace's JSON has it; times are true UTC with their milliseconds.

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
  return {
    id: incident.id,
    window_start: utc(incident.startS),
    window_end: utc(incident.endS),
    duration_seconds: incident.durationS,
    overall_confidence: chain.confidence,
    low_confidence: incident.isLow,
    affected_services: [degradation.service],
    causal_chain: [...chain.steps.map((_, index) => stepDocument(incident, index)), impactStep(incident)],
    impact: incident.impact,
    warnings: incident.warnings,
    unmapped_devices: chain.unmapped,
  };
}

function stepDocument({ chain: { steps } }: PowerTraceIncident, index: number): object {
  const step = steps[index] ?? steps[0];
  const { event, score, lag, indirect } = step;
  return {
    event_id: event.id,
    timestamp: utc(event.at),
    source: event.source,
    type: event.type,
    device_id: event.device,
    caused_by: steps[index - 1]?.event.id ?? null,
    // Its score counts in the mean and is not shown.
    confidence: index === 0 ? null : score,
    lag_seconds: lag,
    indirect_causality: indirect,
  };
}

function impactStep({ chain, degradation: { service, points } }: PowerTraceIncident): object {
  return {
    event_id: `trace_impact_${service}`,
    timestamp: utc(points[0].at),
    source: 'otel_traces',
    type: 'trace_degradation',
    device_id: service,
    caused_by: chain.steps.at(-1)?.event.id ?? null,
    confidence: chain.confidence,
    lag_seconds: 0,
    indirect_causality: false,
  };
}

function utc(atS: number): string {
  return new Date(Math.floor(atS * 1000 + 1e-3)).toISOString();
}
