// Severity: four words, ordered; the numbers are OTLP severity numbers.

export const SEVERITIES = ['info', 'warning', 'error', 'critical'] as const;
export type Severity = (typeof SEVERITIES)[number];

const OTLP_NUMBER: Record<Severity, number> = { info: 9, warning: 13, error: 17, critical: 21 };

/** OTLP severity number (9, 13, 17 or 21), see the OpenTelemetry logs data model. */
export function severityNumber(severity: Severity): number {
  return OTLP_NUMBER[severity];
}

/** Negative when `a` is less severe than `b`, 0 when equal. */
export function compareSeverity(a: Severity, b: Severity): number {
  return a === b ? 0 : SEVERITIES.indexOf(a) - SEVERITIES.indexOf(b);
}

export function maxSeverity(a: Severity, b: Severity): Severity {
  return compareSeverity(a, b) >= 0 ? a : b;
}
