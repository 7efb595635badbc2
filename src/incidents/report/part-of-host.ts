// Part of host: a part is to be replaced that the lines name, and the incident does not.

import type { Incident } from '../../model/incident.ts';
import type { Special } from './special-step.ts';

const PART_OF_HOST: Special = {
  does: 'replace the part of % that the lines name',
  now: 'DRAIN; then open a case for that part of % with FILE',
  call: 'the support of the vendor of %',
};

export function partOfHost({ action: { kind, target } }: Incident): Special | null {
  return kind === 'replace_part' && target?.type === 'host' ? PART_OF_HOST : null;
}
