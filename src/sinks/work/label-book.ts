// Label book: the labels of the work that is known now, the info series of each job, and the link series device ↔ workload.
// What did not change is the same object as before, so that whoever made text or bytes of it makes them again only on a change.

import type { WorkView } from '../../identity/work/work.ts';
import { parseComponent } from '../../model/component.ts';
import { schedulerId } from '../../model/whose.ts';
import { componentAttributes } from '../metric-table.ts';
import { labelsOf, shareOf, shortOrNull, type WorkLabels, workingPart, workLabels } from './work-labels.ts';

export interface WorkPoint {
  readonly metric: 'faultline.job.info' | 'faultline.job.device.share';
  readonly labels: WorkLabels;
  /** By OpenTelemetry's names; besides the labels. */
  readonly attributes: Readonly<Record<string, string>>;
  readonly value: number;
}

const MOST_POINTS = 1024;
const NOTHING: ReadonlyMap<string, WorkLabels> = new Map();

export class LabelBook {
  #labels = NOTHING;
  #points: readonly WorkPoint[] = [];
  #view: number | null = null;
  #version = 0;

  /** Another one where something below changed. */
  get version(): number {
    return this.#version;
  }

  /** The same object while it says the same; null where the component works for no job. */
  of(component: string): WorkLabels | null {
    for (const part of workingPart(component)) {
      const labels = this.#labels.get(part);
      if (labels !== undefined) return labels;
    }
    return null;
  }

  /** The info series of each job and the link series of each device. */
  points(): readonly WorkPoint[] {
    return this.#points;
  }

  /** Takes the work as it is now. Nothing is done for a view that was taken already. */
  take(view: WorkView): void {
    if (view.version === this.#view) return;
    this.#view = view.version;
    const known = new Map([...this.#labels.values()].map((labels) => [JSON.stringify(labels), labels]));
    const labels = workLabels(view);
    let changed = labels.size !== this.#labels.size;
    for (const [key, one] of labels) {
      const text = JSON.stringify(one);
      const same = known.get(text) ?? one;
      known.set(text, same);
      labels.set(key, same);
      changed ||= this.#labels.get(key) !== same;
    }
    const points = this.#known([...infos(view), ...links(view)].slice(0, MOST_POINTS));
    changed ||= points.length !== this.#points.length || points.some((point, at) => point !== this.#points[at]);
    if (!changed) return;
    this.#labels = labels;
    this.#points = points;
    this.#version += 1;
  }

  /** Each once, and those of before as they were. */
  #known(points: readonly WorkPoint[]): readonly WorkPoint[] {
    const before = new Map(this.#points.map((point) => [JSON.stringify(point), point]));
    const all = new Map<string, WorkPoint>();
    for (const point of points) {
      const text = JSON.stringify(point);
      all.set(text, before.get(text) ?? point);
    }
    return [...all.values()];
  }
}

function infos({ works }: WorkView): WorkPoint[] {
  return works.flatMap((work) => {
    if (schedulerId(work.id, work.aliases, work.manager) === null) return []; // all that it is called by is a pid
    const pods = work.pods.length === 0 ? [null] : work.pods;
    return pods.map(
      (pod): WorkPoint => ({
        metric: 'faultline.job.info',
        labels: labelsOf(work, pod),
        attributes: present({
          'faultline.job.id': work.id,
          'faultline.job.name': work.name,
          'faultline.job.manager': work.manager,
          'user.name': work.user,
          'faultline.job.account': work.account,
          'faultline.job.queue': work.queue,
          'faultline.job.restart': work.attempt === null ? null : String(work.attempt),
          'faultline.job.framework': work.framework?.name ?? null,
          'faultline.job.world_size': work.worldSize === null ? null : String(work.worldSize),
          'k8s.pod.uid': pod?.uid ?? null,
        }),
        value: 1,
      }),
    );
  });
}

function links({ works, devices }: WorkView): WorkPoint[] {
  const byId = new Map(works.map((work) => [work.id, work]));
  return devices.flatMap((use) => {
    const component = parseComponent(use.device);
    if (component === null) return [];
    const work = byId.get(use.work ?? '');
    const isNamed = work !== undefined && schedulerId(work.id, work.aliases, work.manager) !== null;
    return {
      metric: 'faultline.job.device.share',
      labels: labelsOf(work, use.pod),
      attributes: present({
        ...componentAttributes(component.type, component.id),
        'faultline.job.id': isNamed ? work.id : null,
        'faultline.job.ranks': use.ranks.length === 0 ? null : use.ranks.slice(0, 64).join(','),
      }),
      value: shareOf(use),
    } satisfies WorkPoint;
  });
}

function present(all: Readonly<Record<string, string | null>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(all).flatMap(([name, value]) => {
      const short = shortOrNull(value);
      return short === null ? [] : [[name, short]];
    }),
  );
}
