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
  const seen = new Map<string, Hot & { readonly of: string }>();
  for (const { input, component, quantity, value } of readings) {
    if (value === null || !component.startsWith('gpu/')) continue;
    const host = hostInPath(input, true);
    const key = `${host ?? input} ${component}`;
    seen.set(key, { component, host, of: host ?? input, has: { ...seen.get(key)?.has, [quantity]: value } });
  }
  return [...seen.values()]
    .filter(
      ({ has: { temperature = 0, temperature_junction: junction = 0 } }) =>
        temperature >= SLOW_FROM_CEL || junction >= JUNCTION_FROM_CEL,
    )
    .filter(({ component }) => !known.has(parseComponent(component)?.id ?? ''))
    .sort((a, b) => heatOf(b.has) - heatOf(a.has))
    .slice(0, MOST)
    .map((hot) =>
      sentence(
        hot,
        coolerOf(
          hot,
          [...seen.values()].filter(({ of }) => of === hot.of),
        ),
      ),
    );
}

/** Busy as it is, so many times its power: nothing but a slowdown holds it so far below the other. */
const MUCH_MORE = 1.5;
const BUSY = 0.9;
const COOLER_CEL = 10;

/** A GPU of the same host that works as hard and draws far more, being cooler; null where there is none. */
function coolerOf({ has }: Hot, others: readonly Hot[]): Hot | null {
  const { utilization = 0, power, temperature } = has;
  if (utilization < BUSY || power === undefined || temperature === undefined) return null;
  const isCooler = ({ has: one }: Hot): boolean =>
    (one.utilization ?? 0) >= BUSY &&
    (one.power ?? 0) >= MUCH_MORE * power &&
    (one.temperature ?? temperature) <= temperature - COOLER_CEL;
  return others.filter(isCooler).sort((a, b) => (b.has.power ?? 0) - (a.has.power ?? 0))[0] ?? null;
}

function heatOf({ temperature, temperature_junction: junction }: Seen): number {
  return temperature ?? junction ?? 0;
}

function sentence({ component: text, host, has }: Hot, cooler: Hot | null): string {
  const { temperature_junction: junction, power, power_limit: limit, utilization } = has;
  const name = nameOf(text, host);
  const where = host === null ? 'its host' : plain(host, 96);
  const drawn = power === undefined ? [] : [`${Math.round(power)}${limit === undefined ? '' : ` of ${Math.round(limit)}`} W`]; // biome-ignore format: one item
  const busy = utilization === undefined ? [] : [`${Math.round(utilization * 100)} % busy`];
  const what = [`${heatOf(has)} °C`, ...drawn, ...busy].join(', ');
  if (junction !== undefined)
    return `${name} is hot (${what}), and AMD Instinct GPUs slow down from ${JUNCTION_FROM_CEL} °C of their junction on; whether this one did, no line says: on ${where}, sudo amd-smi metric --temperature --violation (its limits: sudo amd-smi static --limit). Call who runs ${where}`;
  const ask = `on ${where}, nvidia-smi -q -d TEMPERATURE,PERFORMANCE`;
  if (cooler === null)
    return `${name} is hot (${what}), and GPUs slow down from ${SLOW_FROM_CEL} to ${SLOW_TO_CEL} °C on; whether this one did, no line says: ${ask}. Call who runs ${where}`;
  const { component, has: other } = cooler;
  const next = `${nameOf(component, null)}, as busy, draws ${Math.round(other.power ?? 0)} W at ${heatOf(other)} °C`;
  return `${name} is hot (${what}), and most likely slows itself down: ${next}. First, ${ask} (Thermal Slowdown: Active); take work off it while it gets hotter, and see its heat sink, the fans and the air to it. Call who runs ${where}`;
}

function nameOf(text: string, host: string | null): string {
  const component = parseComponent(text);
  return component === null ? plain(text, 96) : nameText({ ...component, ...(host === null ? {} : { host }) });
}
