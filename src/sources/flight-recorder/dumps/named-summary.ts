// The summary of a host's dumps with the names of host and job in it, as it goes to other hosts.

const START = '{"schema":"faultline/fr-summary/1",';
const MAX_NAME = 128;

/** `summary`: JSON text of a `FlightRecorderSummary` as native code writes it. Empty names are left out. */
export function namedSummary(summary: string, names: { readonly job: string; readonly host: string }): string {
  if (!summary.startsWith(START)) throw new Error('no summary of flight-recorder dumps');
  const written = Object.entries(names)
    .filter(([, name]) => name !== '')
    .map(([key, name]) => `"${key}":${JSON.stringify(name.slice(0, MAX_NAME).toWellFormed())},`);
  return `${START}${written.join('')}${summary.slice(START.length)}`;
}
