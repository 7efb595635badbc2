// Job names: a log whose name says no job is of the one that its lines name, wherever it was called after its file.

import type { Component } from '../../model/component.ts';
import type { EventInput } from '../../model/record.ts';

/** The event as of the job that the log's own lines name; as it is where they name none. `names`: by what the log was called. */
export function ofNamedJob(event: EventInput, names: ReadonlyMap<string, string>): EventInput {
  if (names.size === 0 || event.source !== 'job-log') return event;
  const { component, attributes } = event;
  const of = component === null ? null : renamed(component, names);
  const said = typeof attributes?.job === 'string' ? names.get(attributes.job) : undefined;
  if (of === component && said === undefined) return event;
  return { ...event, component: of, ...(said === undefined ? {} : { attributes: { ...attributes, job: said } }) };
}

function renamed(component: Component, names: ReadonlyMap<string, string>): Component {
  if (component.type === 'job') {
    const name = names.get(component.id);
    return name === undefined ? component : { ...component, id: name };
  }
  if (component.type !== 'rank') return component;
  const slash = component.id.lastIndexOf('/');
  const name = names.get(component.id.slice(0, slash));
  if (name === undefined) return component;
  return { ...component, id: `${name}${component.id.slice(slash)}`, parent: `job/${name}` };
}
