// The schema of rules and detectors as users write them, in the configuration and in the files of rules.d.

import { DURATION_PATTERN } from '../../config/quantity.ts';
import { choice, item, list, plainName } from '../../config/schema-parts.ts';
import { SEVERITIES } from '../../model/severity.ts';
import { GROUPINGS } from './user-rule.ts';

const text = (description: string, example: string, maxLength = 200) =>
  ({ type: 'string', description, minLength: 1, maxLength, examples: [example] }) as const;
const number = (description: string, example: number) =>
  ({ type: 'number', description, examples: [example] }) as const;
const time = (description: string, example: string) =>
  ({
    type: 'string',
    description,
    pattern: DURATION_PATTERN,
    durationRange: { min: '0s', max: '24h' },
    examples: [example],
  }) as const;
const count = (description: string, most: number, example: number) =>
  ({ type: 'integer', description, minimum: 1, maximum: most, examples: [example] }) as const;
const severity = (description: string) =>
  ({ type: 'string', description, enum: SEVERITIES, examples: ['error'] }) as const;
const section = <const P extends Parameters<typeof item>[0]>(description: string, properties: P) =>
  ({ ...item(properties, []), description }) as const;

export const MODELS = {
  type: 'array',
  description: 'Only devices of these models, as inventory has them; * stands for any characters. All when left out.',
  items: { type: 'string', minLength: 1, maxLength: 128, examples: ['NVIDIA H100*'] },
  maxItems: 32,
  default: [],
} as const;

const EVENTS = {
  kind: {
    type: 'array',
    description: 'Kinds of events; * stands for any characters.',
    items: { type: 'string', minLength: 1, maxLength: 64, examples: ['gpu.memory.*'] },
    maxItems: 32,
    default: [],
  },
  component: text('Only of this component, as type/id; * stands for any characters.', 'gpu/*'),
  where: {
    type: 'array',
    description: 'Attributes of the event, name=value each; * stands for any characters.',
    items: { type: 'string', pattern: '^[a-z][a-z0-9_]{0,62}=.{0,128}$', form: 'name=value', examples: ['xid=79'] },
    maxItems: 8,
    default: [],
  },
  severity: choice('Only of this severity or worse.', SEVERITIES, 'info'),
  per: choice('What is looked at together: each component, each job, or all of this host.', GROUPINGS, 'component'),
} as const;

/** What a detector has; which of them depends on its type. */
export const LIMITS = {
  above: number('It is reported above this value (level, trend); with ratio: above that share (drop, peers: 0).', 85),
  below: number('The same below it.', 400),
  clear: number('It is over when it is back beyond this value. The limit when left out.', 80),
  for: time('For how long it must be so.', '30s'),
  clear_for: time('For how long it must be over.', '30s'),
  bits: number('Bits of which one must be set (mask).', 8),
  per_second: number('Growth of a counter in a second (rate).', 1),
  window: time('Over how long it is looked at (rate, drop, trend).', '10m'),
  ratio: number('Share of the usual value (drop) or of the median of the others (peers).', 0.8),
  clear_ratio: number('It is over when it is back within this share (drop).', 0.9),
  min_samples: count('Samples that are needed before it is judged (drop, trend).', 10_000, 5),
  dwell_samples: count('Samples in a row that must be so (drop).', 10_000, 3),
  min_peers: count('Others that are needed (peers).', 1024, 3),
  horizon: time('How far ahead it is looked (trend).', '30m'),
} as const;

const TEST_INPUT = item(
  {
    at: time('When, from the beginning of the test.', '10s'),
    component: text('Which component, as type/id; this host when left out.', 'gpu/0000:9b:00.0'),
    kind: text('An event of this kind.', 'gpu.memory.dbe', 64),
    state: choice('What the event is.', ['onset', 'clear', 'point'], 'point'),
    severity: severity('Severity of the event; that of its kind when left out.'),
    where: EVENTS.where,
    job: text('The job that it hit.', 'llama-70b', 128),
    series: text('A sample of this series; that of the rule when left out.', 'temperature', 64),
    value: number('Value of the sample.', 90),
    every: time('Again after this time.', '1s'),
    times: count('How often.', 10_000, 30),
    model: text('The model of the device.', 'NVIDIA H100 80GB HBM3', 128),
  },
  ['at'],
);

const TEST = item(
  {
    name: text('What it shows.', 'three in ten minutes'),
    given: list('What happens, in any order.', TEST_INPUT, 256),
    wait: time('How long time passes after the last of it.', '5m'),
    fires: { type: 'integer', description: 'How often it is reported.', minimum: 0, maximum: 1000, default: 1 },
    component: text('Of which component, as type/id.', 'gpu/0000:9b:00.0'),
    by: time('Not later than this, from the beginning of the test.', '40s'),
    cleared: { type: 'boolean', description: 'Whether it is over in the end.', examples: [true] },
  },
  ['name', 'given'],
);

export const RULES = list(
  'What this site wants to hear of besides: events that are counted, a limit of a series, or something that is absent. Also in files of rules.d.',
  item(
    {
      name: {
        ...plainName(48),
        type: 'string',
        description: 'Its event is of the kind user.<name>.',
        pattern: '^[a-z][a-z0-9_]{0,47}$',
        form: 'lower-case letters, digits and "_"',
        examples: ['hot_aisle'],
      },
      title: text('One line: what it means.', 'the hot aisle is too warm'),
      advice: text('One line: what to do.', 'call facility management, 4711'),
      severity: choice('Of its event.', SEVERITIES, 'warning'),
      events: section('So many events within a time.', {
        ...EVENTS,
        count: { ...count('How many.', 1000, 3), default: 1 },
        within: time('Within how long.', '10m'),
      }),
      threshold: section('A series beyond a limit, by one of the six native detectors.', {
        of: text('Type of the component: gpu, nic, psu, host, job, …', 'gpu', 32),
        series: text('The series, as `faultline config print --detectors` and the metrics name it.', 'temperature', 64),
        detector: choice('How it is judged.', ['level', 'mask', 'rate', 'drop', 'trend', 'peers'], 'level'),
        ...LIMITS,
        models: MODELS,
      }),
      absent: section('No such event, or no sample of a series, for a time.', {
        ...EVENTS,
        of: text('Type of the component of the series.', 'gpu', 32),
        series: text('A series that had samples and has none.', 'temperature', 64),
        for: time('For how long.', '10m'),
      }),
      tests: list('What must come of it: `faultline rules test`.', TEST, 64),
    },
    ['name'],
  ),
  256,
);

export const DETECTORS = list(
  'Changes of the detectors that are built in: other limits, for all devices or some models, or off. `faultline config print --detectors` lists them.',
  item(
    {
      name: text('The detector.', 'gpu-thermal', 64),
      enabled: choice('off mutes it.', ['on', 'off'], 'on'),
      models: MODELS,
      severity: severity('Severity of its event instead of its own.'),
      ...LIMITS,
    },
    ['name'],
  ),
  256,
);
