// Reads `ipmitool sensor get` and `sdr get` of sensors that have states: what is asserted, not what could be.

import { eventKind } from './event-log.ts';
import { NOTHING, type Reported, type ReportReader } from './report.ts';
import { sensorPart } from './sensor-part.ts';

/** "Sensor ID              : Pwr Unit Redund (0x2)" */
const SENSOR = /^Sensor ID {1,20}: (.{1,64}?) \(0x[0-9a-f]{1,4}\)\s*$/;
const ASSERTED = /^ ?States Asserted {1,20}: (.{1,64}?)\s*$/;
const STATE = /^ {8,40}\[([^\]]{1,120})\]\s*$/;
/** "Sensor Type (Threshold)  : Temperature", and " Status                : Upper Critical": on which side of which of its limits it is. */
const MEASURES = /^ ?Sensor Type \(Threshold\) {1,20}: (Temperature|Fan)\b/;
const STATUS = /^ ?Status {1,24}: (Lower|Upper) (Non-Critical|Critical|Non-Recoverable)\s*$/;
const OF_INLET = /inlet|ambient|\bamb\b|front/i;
const FIELD = /^ ?[A-Z][\w ()]{1,40}? *:/;

export class SensorStates implements ReportReader {
  readonly form = 'ipmi_sensor';
  readonly #host: string;
  #sensor: string | null = null;
  /** The type of the sensor whose asserted states follow. */
  #type: string | null = null;
  /** What a sensor with limits measures. */
  #measures = '';

  constructor(host: string) {
    this.#host = host;
  }

  take(line: string): Reported | null {
    const sensor = SENSOR.exec(line)?.[1];
    if (sensor !== undefined) {
      this.#sensor = sensor;
      this.#type = null;
      this.#measures = '';
      return NOTHING;
    }
    if (this.#sensor === null) return null;
    this.#measures = MEASURES.exec(line)?.[1] ?? this.#measures;
    const beyond = STATUS.exec(line);
    if (beyond !== null) return this.#beyond(this.#sensor, beyond[1], beyond[2]);
    const type = ASSERTED.exec(line)?.[1];
    if (type !== undefined) {
      this.#type = type;
      return NOTHING;
    }
    const state = STATE.exec(line)?.[1];
    if (state !== undefined) return this.#type === null ? NOTHING : this.#reported(this.#sensor, this.#type, state);
    this.#type = null;
    if (FIELD.test(line)) return NOTHING;
    this.#sensor = null;
    return null;
  }

  /** What is too warm, or turns too slowly; what is beyond its other limit is not a fault by itself. */
  #beyond(sensor: string, side = '', limit = ''): Reported {
    const isHot = this.#measures === 'Temperature' && side === 'Upper';
    if (!isHot && !(this.#measures === 'Fan' && side === 'Lower')) return NOTHING;
    const kind = !isHot ? 'host.fan_failure' : OF_INLET.test(sensor) ? 'cooling.inlet_overtemp' : 'host.overtemp';
    const finding = { kind, component: sensorPart(kind, sensor, this.#host), attributes: { sensor, status: `${side} ${limit}` } } as const; // biome-ignore format: one finding
    return { ...NOTHING, findings: [limit === 'Non-Critical' ? { ...finding, severity: 'warning' } : finding] };
  }

  #reported(sensor: string, type: string, event: string): Reported {
    const kind = eventKind(type, event) ?? eventKind(sensor, event);
    if (kind === null) return NOTHING;
    return {
      ...NOTHING,
      findings: [{ kind, component: sensorPart(kind, sensor, this.#host), attributes: { sensor, event } }],
    };
  }
}
