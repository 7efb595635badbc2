// Host names: which hosts the events of logs that name none are of.

import { basename } from 'node:path';
import type { Component } from '../../model/component.ts';
import type { EventInput } from '../../model/record.ts';

/** A host that lines name, and those that stand in for a log whose lines name none. */
export interface HostOfLogs {
  readonly name: string;
  /** Under these its events were found. */
  readonly foundAs: readonly string[];
}

/** A log whose lines name no host. */
export interface Unnamed {
  readonly kernel: boolean;
  /** The folder that it lies in. */
  readonly folder: string;
}

/**
 * A log that names no host is of the only host that the others name. Where they name none, or several: the logs of one folder with
 * a single kernel log are of one host, called as the folder is where there are several folders, else as the log is. Several
 * kernel logs in one folder are of several hosts.
 */
export function hostsOf(named: ReadonlySet<string>, unnamed: ReadonlyMap<string, Unnamed>): HostOfLogs[] {
  const own = [...unnamed.keys()].filter((label) => !named.has(label));
  const [only] = named;
  if (only !== undefined && named.size === 1) return [{ name: only, foundAs: [only, ...own] }];
  const folders = Map.groupBy(own, (label) => unnamed.get(label)?.folder ?? '');
  const taken = new Set(named);
  const found = [...named].map((name) => ({ name, foundAs: [name] }));
  for (const [folder, labels] of folders) {
    const kernels = labels.filter((label) => unnamed.get(label)?.kernel === true);
    const [first = ''] = kernels.length === 1 ? kernels : labels;
    if (kernels.length > 1 || (kernels.length === 0 && labels.length > 1)) {
      found.push(...labels.map((name) => ({ name, foundAs: [name] })));
      continue;
    }
    const called = basename(folder);
    const name = folders.size > 1 && called !== '' && called !== '.' && !taken.has(called) ? called : first;
    taken.add(name);
    found.push({ name, foundAs: labels });
  }
  return found;
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
