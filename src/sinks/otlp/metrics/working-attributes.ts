// Working attributes: what a component's points carry, with the work that it does, by OpenTelemetry's names; made again only when
// that changes, so that the encoder's bytes of it are kept.

import type { LabelBook, WorkPoint } from '../../work/label-book.ts';
import type { WorkLabels } from '../../work/work-labels.ts';
import { schedulerAttribute } from '../whose-values.ts';

export type PointAttributes = Readonly<Record<string, string>>;

interface Made {
  readonly work: WorkLabels | null;
  readonly attributes: PointAttributes;
}

export class WorkingAttributes {
  readonly #book: LabelBook;
  readonly #made = new WeakMap<PointAttributes, Made>();
  readonly #ofPoints = new WeakMap<WorkPoint, PointAttributes>();

  constructor(book: LabelBook) {
    this.#book = book;
  }

  get version(): number {
    return this.#book.version;
  }

  /** `plain` with what the component works for; the same object while both are the same. */
  of(component: string, plain: PointAttributes): PointAttributes {
    const work = this.#book.of(component);
    const known = this.#made.get(plain);
    if (known?.work === work) return known.attributes;
    const attributes = withWork(plain, work);
    this.#made.set(plain, { work, attributes });
    return attributes;
  }

  ofPoint(point: WorkPoint): PointAttributes {
    const known = this.#ofPoints.get(point) ?? withWork(point.attributes, point.labels);
    this.#ofPoints.set(point, known);
    return known;
  }

  points(): readonly WorkPoint[] {
    return this.#book.points();
  }
}

/** The id of a scheduler that has no attribute of its own is the job's name: `faultline.job.id`. */
function withWork(plain: PointAttributes, work: WorkLabels | null): PointAttributes {
  if (work === null) return plain;
  const { pod, namespace, container, hpcJob, manager, rank } = work;
  return {
    ...plain,
    ...(namespace === null ? {} : { 'k8s.namespace.name': namespace }),
    ...(pod === null ? {} : { 'k8s.pod.name': pod }),
    ...(container === null ? {} : { 'k8s.container.name': container }),
    ...(hpcJob === null ? {} : { [schedulerAttribute(manager) ?? 'faultline.job.id']: hpcJob }),
    ...(rank === null ? {} : { 'job.rank': String(rank) }),
  };
}
