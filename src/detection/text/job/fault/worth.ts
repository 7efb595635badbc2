// Worth: what a fault is worth next to others of its log — the fault itself, that something failed, or what others say of it.

import { kindInfo } from '../../../../model/kind.ts';
import type { Fault } from './fault.ts';

/** "See stack trace (above) for the root cause", "encountered a fatal error": why, something else says. */
export function onlyTells({ kind, lastWord, afterFailure, byLauncher, attributes }: Fault): boolean {
  // How a process ended a launcher knows better; another exception it only hands on.
  const isExit = byLauncher === true && attributes?.exception === undefined;
  return lastWord === true || (kind === 'job.rank_crashed' && afterFailure === 'nothing' && !isExit);
}

/** Something broke, here or at a peer; what is of a day's work did not. */
export function isFailure({ kind, severity = kindInfo(kind).severity, state }: Fault): boolean {
  return state !== 'clear' && (severity !== 'info' || kind === 'job.peer_failure');
}

/** What ranks that end in any order say of one another. */
export function isEcho({ kind, byLauncher }: Fault): boolean {
  // Data loaders that are still at work when training is done are killed.
  if (kind === 'job.rank_killed') return byLauncher !== true;
  return kind === 'net.connection_reset' || kind === 'job.peer_failure';
}
