// Host names: which hosts the events of logs that name none are of.

import type { Component } from '../../model/component.ts';
import type { EventInput } from '../../model/record.ts';

/** A host that lines name, and those that stand in for a log whose lines name none. */
export interface HostOfLogs {
  readonly name: string;
  /** Under these its events were found. */
  readonly foundAs: readonly string[];
}

/**
 * A log that names no host is of the only host that the others name. Where they name none, or several, it is of a host of its own,
 * called as the log is; but a single kernel log and the logs of jobs that were given with it are of one host.
 */
export function hostsOf(
  named: ReadonlySet<string>,
  unnamed: ReadonlyMap<string, { readonly kernel: boolean }>,
): HostOfLogs[] {
  const own = [...unnamed.keys()].filter((label) => !named.has(label));
  const [only] = named;
  if (only !== undefined && named.size === 1) return [{ name: only, foundAs: [only, ...own] }];
  const kernels = own.filter((label) => unnamed.get(label)?.kernel === true);
  const [kernel] = kernels;
  if (named.size === 0 && kernel !== undefined && kernels.length === 1) return [{ name: kernel, foundAs: own }];
  return [...named, ...own].map((name) => ({ name, foundAs: [name] }));
}

/** The event as of the host of this name. */
export function asOf(host: string, found: EventInput, foundAs: readonly string[]): EventInput {
  const { component } = found;
  if (component === null) return found;
  const renamed = renamedComponent(component, host, foundAs);
  return renamed === component ? found : { ...found, component: renamed };
}

function renamedComponent(component: Component, host: string, foundAs: readonly string[]): Component {
  if (component.type === 'host') {
    return foundAs.includes(component.id) && component.id !== host ? { ...component, id: host } : component;
  }
  const { host: of } = component;
  return of !== undefined && of !== host && foundAs.includes(of) ? { ...component, host } : component;
}
