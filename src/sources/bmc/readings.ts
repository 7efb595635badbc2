// What was read as samples for the pipeline and as the readings document of the probe.

import { type Component, componentText } from '../../model/component.ts';
import type { DeviceState, Reading, ReadingState } from '../../model/reading.ts';
import { seriesKey } from '../../model/reading.ts';
import type { SampleBatch } from '../../model/record.ts';
import { fanComponent, hostComponent, supplyComponent } from './components.ts';
import type { BmcGpu, Fan, PowerLimit, Supply, Temperature, TimedPart } from './decode/parts.ts';
import { ofPart } from './decode/parts.ts';
import { coolingReadings, coolingStates } from './readings-cooling.ts';
import { redundancyWord, works } from './redundancy.ts';
import { gpuComponent } from './watch/gpu-watch.ts';

/** At this share of its limit a host is held by it; below, the limit is only set. */
export const AT_LIMIT = 0.97;

/** Samples of what was read: numbers only, nothing for what is absent. Null when there is nothing to tell. */
export function samplesOf(host: string, parts: readonly TimedPart[]): SampleBatch | null {
  const samples = parts.flatMap((part) =>
    (part.part === 'gpu' ? throttling(host, part) : readingsOfPart(host, part)).flatMap(
      ({ component, quantity, value }) =>
        value === null ? [] : [{ key: seriesKey(component, quantity), timeMs: part.timeMs, value }],
    ),
  );
  samples.push(...headroom(host, parts));
  if (samples.length === 0) return null;
  return {
    source: 'bmc',
    trust: 'bmc',
    keys: samples.map(({ key }) => key),
    timesMs: samples.map(({ timeMs }) => timeMs),
    values: samples.map(({ value }) => value),
  };
}

/** What the supplies that work have left, and while all of them work the share that is used; nothing where the capacity of one is not known. */
function headroom(host: string, parts: readonly TimedPart[]): { key: string; timeMs: number; value: number }[] {
  const [power] = ofPart(parts, 'power');
  const working = ofPart(parts, 'supply').filter(works);
  if (power === undefined || working.length === 0) return [];
  const capacity = working.reduce((sum, supply) => sum + (supply.capacity ?? Number.NaN), 0);
  if (!(capacity > 0)) return [];
  const on = (quantity: string) => seriesKey(componentText(hostComponent(host)), quantity);
  const { timeMs, watts } = power;
  // While one is out, that is what is wrong, and that the others carry more follows from it.
  const whole = working.length === ofPart(parts, 'supply').filter(({ state }) => state !== 'Absent').length;
  return [
    { key: on('power_headroom'), timeMs, value: capacity - watts },
    ...(whole ? [{ key: on('power_share'), timeMs, value: watts / capacity }] : []),
  ];
}

/** Readings and states as the document shows them. */
export function readingsOf(host: string, parts: readonly TimedPart[]): { readings: Reading[]; states: DeviceState[] } {
  const around: Around = {
    watts: ofPart(parts, 'power')[0]?.watts ?? null,
    supplies: ofPart(parts, 'supply'),
    groups: ofPart(parts, 'redundancy').length,
  };
  return {
    readings: parts.flatMap((part) => readingsOfPart(host, part)),
    states: parts.flatMap((part) => statesOfPart(host, part, around)),
  };
}

function readingsOfPart(host: string, part: TimedPart): Reading[] {
  const on = (component: Component) => (quantity: string, value: number | null, unit: string, state?: ReadingState) =>
    value === null ? [] : [{ component: componentText(component), quantity, value, unit, ...(state ? { state } : {}) }];
  const hostReading = on(hostComponent(host));
  switch (part.part) {
    case 'supply':
      return supplyReadings(on(supplyComponent(host, part.slot)), part);
    case 'power':
      return hostReading('power', part.watts, 'W');
    case 'limit':
      return hostReading('power_limit', part.watts, 'W');
    case 'fan':
      return fanReadings(on(fanComponent(host, part.slot)), part);
    case 'temperature':
      return hostReading(part.quantity, part.celsius, 'Cel', temperatureState(part));
    case 'loop':
    case 'pump':
      return coolingReadings(host, part);
    case 'gpu':
      return gpuReadings(on({ type: 'gpu', id: `${host}/${part.id}` }), part);
    default:
      return [];
  }
}

type Read = (quantity: string, value: number | null, unit: string, state?: ReadingState) => Reading[];

function supplyReadings(read: Read, { inputVoltage, inputPower, outputPower }: Supply): Reading[] {
  return [
    ...read('input_voltage', inputVoltage, 'V'),
    ...read('input_power', inputPower, 'W'),
    ...read('output_power', outputPower, 'W'),
  ];
}

/** Revolutions a second, or the share of full speed where the BMC knows only that. */
function fanReadings(read: Read, { rpm, percent }: Fan): Reading[] {
  if (rpm !== null) return read('fan_speed', rpm / 60, 'Hz');
  return percent === null ? [] : read('fan_speed_ratio', percent / 100, '1');
}

/** All that is sampled of a GPU: of the rest the driver's word is better, and comes under the same names. */
function throttling(host: string, gpu: BmcGpu): Reading[] {
  const component = componentText(gpuComponent(host, gpu));
  return gpuReadings((quantity, value, unit) => [{ component, quantity, value, unit }], gpu).filter(({ quantity }) =>
    quantity.endsWith('_throttle_time'),
  );
}

function gpuReadings(read: Read, gpu: BmcGpu): Reading[] {
  return [
    ...read('power', gpu.watts, 'W'),
    ...read('power_limit', gpu.limitWatts, 'W'),
    ...read('temperature', gpu.celsius, 'Cel'),
    ...read('power_limit_throttle_time', gpu.powerThrottle, 's'),
    ...read('thermal_limit_throttle_time', gpu.thermalThrottle, 's'),
    ...read('hardware_throttle_time', gpu.hardwareThrottle, 's'),
  ];
}

function temperatureState({ celsius, upperCritical, upperCaution }: Temperature): ReadingState | undefined {
  if (upperCritical !== null && celsius >= upperCritical) return 'high_critical';
  if (upperCaution !== null && celsius >= upperCaution) return 'high_warning';
  return upperCritical === null && upperCaution === null ? undefined : 'normal';
}

/** What else was read, which a state depends on. */
interface Around {
  readonly watts: number | null;
  readonly supplies: readonly Supply[];
  readonly groups: number;
}

function statesOfPart(host: string, part: TimedPart, { watts, supplies, groups }: Around): DeviceState[] {
  const on = (component: Component) => (name: string, value: string | null) =>
    value === null ? [] : [{ component: componentText(component), name, value }];
  const hostState = on(hostComponent(host));
  switch (part.part) {
    case 'supply': {
      const state = on(supplyComponent(host, part.slot));
      if (part.state === 'Absent') return state('state', part.state);
      return [...state('line_input', part.line), ...state('health', part.health), ...state('state', part.state)];
    }
    case 'fan': {
      const state = on(fanComponent(host, part.slot));
      return state('health', part.health);
    }
    case 'gpu':
      return part.reasons.length === 0
        ? []
        : on({ type: 'gpu', id: `${host}/${part.id}` })('throttle_reasons', part.reasons.join(' '));
    case 'loop':
    case 'pump':
    case 'reservoir':
    case 'leak':
      return coolingStates(host, part);
    case 'redundancy':
      return hostState('redundancy', redundancyWord(part, supplies, groups === 1));
    case 'limit':
      return hostState('power_limit', limitWord(part, watts));
    case 'health':
      return [
        ...hostState(part.of === 'system' ? 'health' : 'chassis_health', part.rollup),
        ...(part.of === 'system' ? hostState('power_state', part.powerState) : []),
      ];
    default:
      return [];
  }
}

/** A limit that nothing presses against is configured, not applied. */
function limitWord(limit: PowerLimit, watts: number | null): string {
  if (limit.watts === null) return 'none';
  return watts !== null && watts >= AT_LIMIT * limit.watts ? 'applied' : 'configured';
}
