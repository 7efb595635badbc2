// Filter: which incidents a list is about, by the words of its options.

import { didYouMean } from '../../helpers/did-you-mean.ts';
import { matchesWildcard } from '../../helpers/wildcard.ts';
import { isAbout, isOfJob, placesOf } from '../../incidents/about.ts';
import type { Headline } from '../../incidents/log/whole-line.ts';
import { canonicalPciAddress, componentText, parseComponent } from '../../model/component.ts';
import type { Incident } from '../../model/incident.ts';
import { KINDS } from '../../model/kind.ts';
import type { Said } from '../../model/note.ts';
import { compareSeverity, type Severity } from '../../model/severity.ts';
import { CommandError } from '../common/incident-context.ts';

export interface FilterOptions {
  readonly since?: string;
  readonly until?: string;
  readonly pattern?: string;
  readonly open?: boolean;
  readonly unacked?: boolean;
  readonly severity?: Severity;
  readonly kind?: readonly string[];
  readonly component?: string;
  readonly job?: string;
}

export interface Filter {
  readonly passes: (incident: Incident, said: Said) => boolean;
  /** The same where it asks no more of an incident; null where it does. */
  readonly passesHeadline: ((headline: Headline, said: Said) => boolean) | null;
}

/** Throws FL3128 and FL3129 for words that no incident can have. */
export async function incidentFilter(
  options: FilterOptions,
  sinceMs: number,
  untilMs = Number.POSITIVE_INFINITY,
): Promise<Filter> {
  const { open = false, unacked = false, severity, job, pattern } = options;
  if (pattern !== undefined) await checkPattern(pattern);
  const kinds = options.kind ?? [];
  for (const kind of kinds) checkKind(kind);
  const component = options.component === undefined ? null : readComponent(options.component);
  const passesHeadline = (incident: Headline, said: Said): boolean => {
    const isOpen = incident.state === 'open' && incident.mergedInto === null;
    if (incident.state !== 'open' && incident.updatedMs < sinceMs) return false;
    if (incident.openedMs > untilMs) return false;
    if ((open || unacked) && !isOpen) return false;
    if (pattern !== undefined && !matchesWildcard(incident.pattern ?? '', pattern)) return false;
    if (unacked && said.acknowledged !== null) return false;
    if (severity !== undefined && compareSeverity(incident.severity, severity) < 0) return false;
    return kinds.length === 0 || kinds.some((kind) => matchesWildcard(incident.root.kind, kind));
  };
  if (component === null && job === undefined) return { passes: passesHeadline, passesHeadline };
  const isPlaced = (incident: Incident): boolean => {
    if (component !== null && !isAbout(placesOf(incident), component)) return false;
    return job === undefined || isOfJob(incident.whose, placesOf(incident), job);
  };
  return {
    passes: (incident, said) => passesHeadline(incident, said) && isPlaced(incident),
    passesHeadline: null,
  };
}

/** In words, for a list that is empty. */
export function filterText(options: FilterOptions): string {
  const { open, unacked, severity, kind = [], component, job, since, until, pattern } = options;
  return [
    ...(unacked === true ? [' that are open and not acknowledged'] : open === true ? [' that are open'] : []),
    ...(severity === undefined ? [] : [` of severity ${severity} or worse`]),
    ...(kind.length === 0 ? [] : [` of kind ${kind.join(' or ')}`]),
    ...(component === undefined ? [] : [` about ${component}`]),
    ...(job === undefined ? [] : [` about job ${job}`]),
    ...(pattern === undefined ? [] : [` of pattern ${pattern}`]),
    ...(since === undefined ? [] : [` since ${since}`]),
    ...(until === undefined ? [] : [` until ${until}`]),
  ].join('');
}

function checkKind(kind: string): void {
  if (kind.startsWith('user.') || KINDS.some((known) => matchesWildcard(known, kind))) return;
  const near = didYouMean(kind, KINDS);
  const hint =
    near === null ? 'docs/reference/kinds.md lists them; a * stands for any characters' : `Did you mean: ${near}`;
  throw new CommandError(2, `FL3128 --kind "${kind}": there is no such kind. ${hint}`);
}

async function checkPattern(pattern: string): Promise<void> {
  // The catalogue of patterns takes as long to load as everything else of a list.
  const { knownPatterns } = await import('../../correlation/patterns/known-patterns.ts');
  const known = [...knownPatterns().keys()];
  if (known.some((each) => matchesWildcard(each, pattern))) return;
  const near = didYouMean(pattern, known);
  const hint = near === null ? 'faultline patterns lists them; a * stands for any characters' : `Did you mean: ${near}`;
  throw new CommandError(2, `FL3131 --pattern "${pattern}": there is no such pattern. ${hint}`);
}

function readComponent(text: string): string {
  const component = parseComponent(text.trim());
  if (component === null) {
    throw new CommandError(
      2,
      `FL3129 --component "${text}" is not a component: write type/id, for example gpu/0000:9b:00.0`,
    );
  }
  const address = canonicalPciAddress(component.id);
  return componentText(address === null ? component : { ...component, id: address });
}
