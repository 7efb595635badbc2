// Fail on: whether an incident is a reason to keep work off this host, for health checks and prologues.

import type { Incident } from '../../model/incident.ts';
import { compareSeverity, type Severity } from '../../model/severity.ts';

/**
 * An open incident of this severity or worse, whose root is not known to be on another host, and that is neither made up
 * for a test nor reported only by a job's user: a node is not drained for what its users wrote.
 */
export function failsOn(incident: Incident, severity: Severity): boolean {
  if (incident.state !== 'open' || incident.mergedInto !== null || incident.made === 'injected') return false;
  if (incident.unconfirmed !== null) return false;
  if (compareSeverity(incident.severity, severity) < 0) return false;
  const { component } = incident.root;
  const elsewhere = component?.host !== undefined && component.host !== incident.host;
  return !elsewhere;
}
