// Unnamed host: what stands for the host of a saved log whose lines name none, so that no text takes the log's name for a machine's.

/** No host is called so: a name has no colon. */
const OF_LOG = 'log:';

/** The stand-in for the host that the lines of this log are of. */
export function hostOfLog(log: string): string {
  return `${OF_LOG}${log}`;
}

/** The log that the stand-in is of; null for the name of a host. */
export function logOfHost(host: string): string | null {
  return host.startsWith(OF_LOG) ? host.slice(OF_LOG.length) : null;
}

/** Whether a component is such a host: its name says all that is known of it. */
export function isStandIn(component: { readonly type: string; readonly id: string } | null): boolean {
  return component?.type === 'host' && logOfHost(component.id) !== null;
}

/** What standard input is called among the logs: no name of anything. */
export const STDIN_LOG = 'stdin';

/** A host as a sentence names it: `gx-07`, or `the host of dmesg.txt` where no line names it, `this log's host (not named)` of standard input. */
export function hostText(host: string): string {
  const log = logOfHost(host);
  if (log === STDIN_LOG) return "this log's host (not named)";
  return log === null ? host : `the host of ${log}`;
}

/** Before the name of a device: nothing where the host is not known by name. */
export function hostPrefix(host: string): string {
  return logOfHost(host) === null ? host : '';
}
