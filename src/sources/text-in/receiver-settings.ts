// What the settings of all receivers of text have in common: whose lines they take, how far these count, and how many.

import type { FromSchema } from '../../config/schema-parts.ts';
import { item, list, WORK_NAME } from '../../config/schema-parts.ts';
import type { Resolving } from '../../config/section.ts';
import { type Address, isLocal, parseAddress } from '../address.ts';

const work = item(
  {
    program: {
      type: 'string',
      description: 'Name under which the program writes; * stands for any part of it.',
      pattern: '^[^\\s/]{1,128}$',
      form: 'a name without spaces and "/"',
      examples: ['train-*'],
    },
    job: { type: 'string', description: 'Job id; the component is job/<id>.', ...WORK_NAME, examples: ['llama-70b'] },
    service: {
      type: 'string',
      description: 'Name of the inference server; the component is service/<name>.',
      ...WORK_NAME,
      examples: ['llama-api'],
    },
  },
  ['program'],
);

export const receiverKeys = {
  beyond_this_host: {
    type: 'boolean',
    description:
      'Addresses that other hosts reach are allowed. Whoever reaches them may send; they are without TLS and token.',
    default: false,
  },
  hosts: list(
    'Further names under which lines are of this host; those of others are left out and counted.',
    { type: 'string', pattern: '^[\\w.:-]{1,253}$', form: 'a host name', examples: ['node-3.example.org'] },
    16,
  ),
  work: list('Programs whose lines are those of a job or of an inference server.', work, 64),
  max_lines_per_second: {
    type: 'integer',
    description: 'Lines that are taken in a second; those beyond are left out and counted.',
    minimum: 10,
    maximum: 100_000,
    default: 5000,
  },
} as const;

export const shippers = list(
  'Users of this host, or addresses, that pass on what jobs of others write and are believed to, besides root: those that collectors run as.',
  { type: 'string', pattern: '^[\\w.:@$-]{1,64}$', form: 'a user name or an address', examples: ['otelcol'] },
  16,
);

export interface ProgramWork {
  readonly program: string;
  readonly job: string | null;
  readonly service: string | null;
}

export interface ReceiverSettings {
  readonly hosts: readonly string[];
  readonly work: readonly ProgramWork[];
  readonly linesPerSecond: number;
  /** Users or addresses that are believed about the jobs of others; none where left out. */
  readonly shippers?: readonly string[];
}

interface Raw {
  readonly hosts: readonly string[];
  readonly work: readonly FromSchema<typeof work>[];
  readonly max_lines_per_second: number;
  readonly shippers?: readonly string[];
}

/** `at`: the pointer of the section. */
export function receiverSettings(raw: Raw, at: string, { findings }: Resolving): ReceiverSettings {
  return {
    hosts: raw.hosts,
    linesPerSecond: raw.max_lines_per_second,
    shippers: raw.shippers ?? [],
    work: raw.work.map(({ program, job, service }, i) => {
      if ((job === undefined) === (service === undefined)) {
        const text = 'must have a job or a service, and not both. Write: {program: train, job: llama-70b}';
        findings.problem('FL1110', `${at}/work/${i}`, text);
      }
      return { program, job: job ?? null, service: service ?? null };
    }),
  };
}

/** The address that `text` has behind its `prefix`; null, with a finding, where it is not one or reaches too far. */
export function receiverAddress(
  text: string,
  pointer: string,
  { findings, beyond, example }: { findings: Resolving['findings']; beyond: boolean; example: string },
): Address | null {
  const address = parseAddress(text);
  if (address === null) {
    findings.problem('FL1106', pointer, `is not an address (got ${text}). Write: ${example}`);
    return null;
  }
  if (!isLocal(address) && !beyond) {
    const remedy = 'Write 127.0.0.1, or beyond_this_host: true next to it if that is meant';
    findings.problem('FL1110', pointer, `is reached by other hosts (${text}), without TLS and token. ${remedy}`);
  }
  return address;
}
