// Heat: that a GPU slows down by it, with the temperature that the same report has.

import type { Reading } from '../../../model/reading.ts';
import type { ReportedFinding } from './report.ts';

/** °C as an attribute of the finding, where it is one of heat and a temperature is among the readings. */
export function withTemperature(finding: ReportedFinding, readings: readonly Reading[]): ReportedFinding {
  if (finding.kind !== 'gpu.thermal_throttle') return finding;
  const value = readings.find(({ quantity }) => quantity === 'temperature')?.value ?? null;
  return value === null ? finding : { ...finding, attributes: { ...finding.attributes, temperature: value } };
}
