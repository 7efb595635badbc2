// Hot GPUs: those that a report shows at a temperature at which GPUs slow themselves down, and does not say of whether they do.

import { parseComponent } from '../../model/component.ts';
import { nameText } from '../../model/component-name.ts';
import type { FaultEvent } from '../../model/event.ts';
import { plain } from '../../model/plain.ts';
import { hostInPath } from './host-in-path.ts';
import type { Readings } from './readings.ts';

/** "GPU Slowdown Temp" of nvidia-smi -q: 87 °C of a V100, 89 of an A100, 92 to 97 of cards for workstations. */
const SLOW_FROM_CEL = 87;
const SLOW_TO_CEL = 97;
/** Of the junction, which AMD's tools report: where an MI300A slows down, and an MI210 (SLOWDOWN_HOTSPOT_TEMPERATURE of amd-smi static --limit); 110 of most Radeons. */
const JUNCTION_FROM_CEL = 100;
const MOST = 3;
const HEAT = /^gpu\.(?:thermal_throttle|overtemp|heating|hw_slowdown|lost)$/;

type Seen = Readonly<Record<string, number>>;

interface Hot {
  readonly component: string;
  /** As the name of the file says; null where it does not. */
  readonly host: string | null;
  readonly has: Seen;
}

/** A sentence for each, the hottest first; of a GPU that an event says is hot none. */
export function hotGpus(
  { readings }: Pick<Readings, 'readings'>,
  events: readonly { readonly event: FaultEvent }[],
): string[] {
  const known = new Set(events.flatMap(({ event: { kind, component } }) => (HEAT.test(kind) && component?.type === 'gpu' ? [component.id] : []))); // biome-ignore format: one question
  // Hosts of one kind have GPUs of the same addresses.
  const seen = new Map<string, Hot>();
  for (const { input, component, quantity, value } of readings) {
    if (value === null || !component.startsWith('gpu/')) continue;
    const host = hostInPath(input, true);
    const key = `${host ?? input} ${component}`;
    seen.set(key, { component, host, has: { ...seen.get(key)?.has, [quantity]: value } });
  }
  return [...seen.values()]
    .filter(
      ({ has: { temperature = 0, temperature_junction: junction = 0 } }) =>
        temperature >= SLOW_FROM_CEL || junction >= JUNCTION_FROM_CEL,
    )
    .filter(({ component }) => !known.has(parseComponent(component)?.id ?? ''))
    .sort((a, b) => heatOf(b.has) - heatOf(a.has))
    .slice(0, MOST)
    .map(sentence);
}

function heatOf({ temperature, temperature_junction: junction }: Seen): number {
  return temperature ?? junction ?? 0;
}

function sentence({ component: text, host, has }: Hot): string {
  const { temperature_junction: junction, power, power_limit: limit, utilization } = has;
  const component = parseComponent(text);
  const name = component === null ? plain(text, 96) : nameText({ ...component, ...(host === null ? {} : { host }) });
  const drawn = power === undefined ? [] : [`${Math.round(power)}${limit === undefined ? '' : ` of ${Math.round(limit)}`} W`]; // biome-ignore format: one item
  const busy = utilization === undefined ? [] : [`${Math.round(utilization * 100)} % busy`];
  const what = [`${heatOf(has)} °C`, ...drawn, ...busy].join(', ');
  if (junction !== undefined)
    return `${name} is hot (${what}), and AMD Instinct GPUs slow down from ${JUNCTION_FROM_CEL} °C of their junction on; whether this one did, no line says: sudo amd-smi metric --temperature --violation (its limits: sudo amd-smi static --limit)`;
  return `${name} is hot (${what}), and GPUs slow down from ${SLOW_FROM_CEL} to ${SLOW_TO_CEL} °C on; whether this one did, no line says: nvidia-smi -q -d TEMPERATURE,PERFORMANCE`;
}
