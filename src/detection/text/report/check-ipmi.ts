// Reads what check_ipmi_sensor prints for Nagios and its kin: one line with the sensors that are not well, and entries of the event log.

import { eventKind } from './event-log.ts';
import { NOTHING, type Reported, type ReportedFinding, type ReportReader } from './report.ts';
import { sensorPart } from './sensor-part.ts';

const BEGINS = /^(?:\S{1,24} - )?IPMI Status: (?:Critical|Warning) \[/;
/** "(Power Supply PS2 Status = Critical, Power Supply, Power Supply Failure detected)": name, state, type and event of an entry. */
const ENTRY =
  /\(([^()=]{1,64}?) = (?:Critical|Warning|N\/A), ([A-Z][\w /-]{2,48}), ([^(),]{2,80}?)(?: ; [^()]{0,80})?\)/g;
/** "PS2 Status = Critical ('Power Supply Failure detected')": a sensor whose state is one of words. */
const SENSOR = /(?:\[|, |\) )([^()=,[\]]{1,64}?) = (?:Critical|Warning) \('([^']{2,80})'[^()]{0,200}\)/g;
/** The type of a sensor by its name, as catalogues of events are by type. */
const TYPES: readonly (readonly [name: RegExp, type: string])[] = [
  [/\b(?:ps\d|psu|power supply)/i, 'Power Supply'],
  [/\bfan/i, 'Fan'],
  [/\b(?:dimm|memory|mem)/i, 'Memory'],
  [/\b(?:cpu|processor)/i, 'Processor'],
];

export class CheckIpmi implements ReportReader {
  readonly form = 'check_ipmi';
  readonly #host: string;

  constructor(host: string) {
    this.#host = host;
  }

  take(line: string): Reported | null {
    if (!BEGINS.test(line)) return null;
    const entries = [...line.matchAll(ENTRY)].map(([, name = '', type = '', event = '']) => ({ name, type, event }));
    const sensors = [...line.matchAll(SENSOR)].map(([, name = '', event = '']) => ({
      name,
      type: TYPES.find(([form]) => form.test(name))?.[1] ?? name,
      event,
    }));
    return { ...NOTHING, findings: [...entries, ...sensors].flatMap((each) => this.#finding(each)) };
  }

  #finding({ name, type, event }: Readonly<Record<'name' | 'type' | 'event', string>>): ReportedFinding[] {
    const kind = eventKind(type, event);
    if (kind === null) return [];
    const component = sensorPart(kind, name, this.#host);
    return [{ kind, component, attributes: { sensor: name, event }, discriminator: `${name} ${event}` }];
  }
}
