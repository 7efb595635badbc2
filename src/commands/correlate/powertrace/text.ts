// The report for people: one block an incident, with the service's figures when it broke.

import { plain } from '../../../model/plain.ts';
import type { DeviceEventType } from '../records.ts';
import { clock } from './clock.ts';
import type { Impact, PowerTraceIncident, PowerTraceReport } from './incidents.ts';

const RULE = '─'.repeat(62);
const LABELS: Readonly<Record<DeviceEventType, string>> = {
  host_degradation: 'Host degradation',
  thermal_throttle: 'GPU thermal throttle',
  power_cap_applied: 'GPU power cap applied',
  voltage_sag: 'PDU voltage sag',
  psu_failover: 'PSU failover',
  cpu_power_cap: 'CPU power cap applied',
  port_power_exceeded: 'PoE port power exceeded',
  ups_transfer: 'UPS battery transfer',
  breaker_trip: 'PDU circuit breaker trip',
};

export function powerTraceText({ incidents, events }: PowerTraceReport): string {
  if (incidents.length === 0) return `No incident in ${events} events.\n`;
  return `${incidents.map(block).join(`\n${RULE}\n`)}`;
}

function block(incident: PowerTraceIncident): string {
  const { chain, degradation, impact } = incident;
  const { steps, confidence } = chain;
  const [{ event: root }] = steps;
  const row = (at: number, word: string, what: string, where: string): string =>
    `  ${clock(at)}  ${`[${word}]`.padEnd(10)} ${what.padEnd(24)} ${plain(where, 200)}`;
  const lines = [
    `INCIDENT ${incident.id}: ${plain(degradation.service, 200)} (confidence ${percent(confidence)}${incident.isLow ? ', low' : ''})`,
    `Window: ${clock(incident.startS)} to ${clock(incident.endS)} UTC (${incident.durationS} s)`,
    '',
    'CAUSAL CHAIN',
    ...steps.map(({ event, indirect }) =>
      row(
        event.at,
        event.severity.toUpperCase(),
        `${LABELS[event.type]}${indirect ? ' (indirect)' : ''}`,
        event.device,
      ),
    ),
    row(degradation.startS, 'IMPACT', 'Trace degradation', degradation.service),
    ...impactLines(impact).map((line) => `              ${line}`),
    '',
    `Root cause: ${LABELS[root.type]} on ${plain(root.device, 200)}`,
    `Cost: ${costOf(impact)}`,
    ...incident.warnings.map((warning) => `Warning: ${warning}`),
  ];
  return `${lines.join('\n')}\n`;
}

function impactLines(impact: Impact): string[] {
  const { p99_baseline_ms: base, p99_first_anomaly_ms: first, p99_first_change_percent: change } = impact;
  return [
    `P99: ${whole(base)} ms → ${whole(first)} ms (${signed(change)})`,
    `Errors: ${impact.error_rate_baseline_percent} % → ${impact.error_rate_first_anomaly_percent} %`,
    `Throughput: ${whole(impact.throughput_baseline_rps)} → ${whole(impact.throughput_first_anomaly_rps)} requests/s (${signed(impact.throughput_first_change_percent)})`,
  ];
}

export function powerTraceMarkdown(report: PowerTraceReport): string {
  const { incidents, events, unmappedDevices, warnings } = report;
  const blocks = incidents.map((incident) => {
    const { chain, degradation, impact } = incident;
    const rows = chain.steps.map(
      ({ event, score, lag, indirect }, index) =>
      cells([clock(event.at), event.severity.toUpperCase(), event.type, code(event.device), index === 0 ? '–' : percent(score), `${lag.toFixed(1)} s`, indirect ? 'yes' : 'no']), // biome-ignore format: one row
    );
    const last = cells([clock(degradation.startS), 'IMPACT', 'trace_degradation', code(degradation.service), percent(chain.confidence), '0.0 s', 'no']); // biome-ignore format: one row
    const peak = change(impact.throughput_peak_rps, impact.throughput_baseline_rps);
    return [
      `## ${escaped(degradation.service)}`,
      '',
      `- Window: ${clock(incident.startS)} to ${clock(incident.endS)} UTC (${incident.durationS} s)`,
      `- Confidence: ${percent(chain.confidence)}${incident.isLow ? ' (low)' : ''}`,
      '',
      cells(['Time', 'Severity', 'Type', 'Device', 'Confidence', 'Lag', 'Indirect']),
      cells(Array<string>(7).fill('---')),
      ...rows,
      last,
      '',
      `- P99: ${whole(impact.p99_baseline_ms)} ms → ${whole(impact.p99_peak_ms)} ms (${signed(impact.p99_change_percent)})`,
      `- Errors: ${impact.error_rate_baseline_percent} % → ${impact.error_rate_peak_percent} %`,
      `- Throughput: ${whole(impact.throughput_baseline_rps)} → ${whole(impact.throughput_peak_rps)} requests/s (${signed(peak)})`,
      `- Cost: ${costOf(impact)}`,
      ...incident.warnings.map((warning) => `- Warning: ${escaped(warning)}`),
      '',
    ].join('\n');
  });
  const summary = `${incidents.length} incidents, ${events} events, ${unmappedDevices} devices in no mapping, ${warnings} warnings`;
  return ['# Correlation by penalties', '', ...blocks, summary, ''].join('\n');
}

function change(value: number, base: number): number {
  return base > 0 ? ((value - base) / base) * 100 : 0;
}

function percent(share: number): string {
  return `${Math.round(share * 100)} %`;
}

function signed(value: number): string {
  return `${value > 0 ? '+' : ''}${Math.round(value)} %`;
}

function whole(value: number): string {
  return Math.round(value).toLocaleString('en');
}

function costOf({ estimated_cost_impact_usd: cost }: Impact): string {
  return cost === null ? 'not known without --gpu-rate' : `${cost.toFixed(2)} USD`;
}

function cells(parts: readonly string[]): string {
  return `| ${parts.join(' | ')} |`;
}

/** Names come from files: none may end a cell or become markup. */
function code(text: string): string {
  return `\`${plain(text, 200).replaceAll('`', "'").replaceAll('|', '\\|')}\``;
}

function escaped(text: string): string {
  return plain(text, 400).replaceAll(/[\\`*_{}[\]<>()#!|]/g, (each) => `\\${each}`);
}
