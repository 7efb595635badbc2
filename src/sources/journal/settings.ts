// Settings of the journal source.

import { choice, item, list, section, WORK_NAME } from '../../config/schema-parts.ts';
import type { RawOf, Resolving } from '../../config/section.ts';
import type { Enabled } from '../switched.ts';

const unit = {
  type: 'string',
  description: 'Name of the unit; * stands for any part of it.',
  pattern: '^[\\w@:.\\\\*-]{1,255}$',
  form: 'the name of a unit',
  examples: ['train@*.service'],
} as const;

export const schema = {
  journal: section("systemd's journal: its files are read, no program is started.", {
    enabled: choice(
      'The journal: auto reads it where it is there, on also reports when it is not, off costs nothing.',
      ['auto', 'on', 'off'],
      'off',
    ),
    paths: list(
      'Folders with journal files, and folders of machines, namespaces and remote senders in them. Left out: /var/log/journal and /run/log/journal.',
      { type: 'string', minLength: 1, maxLength: 4096, 'x-path': true, examples: ['/var/log/journal'] },
      8,
    ),
    hosts: list(
      'Further names under which lines are of this host; those of others are left out.',
      { type: 'string', pattern: '^[\\w.:-]{1,253}$', form: 'a host name', examples: ['node-3.example.org'] },
      16,
    ),
    work: list(
      'Units whose lines are those of a job or of an inference server.',
      item(
        {
          unit,
          job: { type: 'string', description: 'Job id; the component is job/<id>.', ...WORK_NAME, examples: ['llama-70b'] },
          service: { type: 'string', description: 'Name of the server; the component is service/<name>.', ...WORK_NAME, examples: ['llama-api'] },
        },
        ['unit'],
      ),
      64,
    ),
    max_lines_per_second: {
      type: 'integer',
      description: 'Lines that are taken in a second; those beyond are left out and counted.',
      minimum: 10,
      maximum: 100_000,
      default: 5000,
    },
  }),
} as const; // biome-ignore format: short descriptions

export interface UnitWork {
  readonly unit: string;
  readonly job: string | null;
  readonly service: string | null;
}

export interface JournalSettings {
  readonly enabled: Enabled;
  readonly paths: readonly string[];
  readonly hosts: readonly string[];
  readonly work: readonly UnitWork[];
  readonly linesPerSecond: number;
}

const STANDARD = ['/var/log/journal', '/run/log/journal'];

export function resolve({ journal: raw }: RawOf<typeof schema>, { absolute, findings }: Resolving): JournalSettings {
  return {
    enabled: raw.enabled,
    paths: raw.paths.length === 0 ? STANDARD : raw.paths.map((path) => absolute(path)),
    hosts: raw.hosts,
    work: raw.work.map(({ unit: name, job, service }, i) => {
      if ((job === undefined) === (service === undefined)) {
        const text = 'must have a job or a service, and not both. Write: {unit: vllm.service, service: llama-api}';
        findings.problem('FL1110', `/sources/journal/work/${i}`, text);
      }
      return { unit: name, job: job ?? null, service: service ?? null };
    }),
    linesPerSecond: raw.max_lines_per_second,
  };
}
