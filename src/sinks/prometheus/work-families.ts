// Work families: faultline_job_info, and faultline_job_device_share_ratio, which links devices with the workloads that share them.

import { metricNamed } from '../metric-table.ts';
import type { WorkPoint } from '../work/label-book.ts';
import { labelsOf } from './from-otel.ts';
import type { Family, FamilySample, Labels } from './metric-family.ts';
import { metricName, unitName } from './metric-names.ts';
import { withWork } from './working-labels.ts';

/** The names that users know, in place of OpenTelemetry's. */
const NAMES: Readonly<Record<string, string>> = {
  'faultline.job.id': 'job_id',
  'faultline.job.name': 'job_name',
  'faultline.job.manager': 'manager',
  'faultline.job.account': 'account',
  'faultline.job.queue': 'queue',
  'faultline.job.restart': 'restart',
  'faultline.job.framework': 'framework',
  'faultline.job.world_size': 'world_size',
  'faultline.job.ranks': 'ranks',
  'user.name': 'user',
  'k8s.pod.uid': 'pod_uid',
};

const made = new WeakMap<WorkPoint, Labels>();

export function workFamilies(points: readonly WorkPoint[]): Family[] {
  const families = new Map<string, FamilySample[]>();
  for (const point of points) {
    const samples = families.get(point.metric) ?? [];
    families.set(point.metric, samples);
    samples.push({ suffix: '', labels: labels(point), value: point.value });
  }
  return [...families].map(([name, samples]) => {
    const { unit, description } = metricNamed(name);
    return { name: metricName(name, unit, 'gauge'), type: 'gauge', help: description, unit: unitName(unit), samples };
  });
}

function labels(point: WorkPoint): Labels {
  const known = made.get(point);
  if (known !== undefined) return known;
  const own = Object.fromEntries(
    Object.entries(point.attributes).map(([name, value]) => [Object.hasOwn(NAMES, name) ? (NAMES[name] ?? name) : name, value]), // biome-ignore format: one line
  );
  const all = withWork(labelsOf(own), point.labels);
  made.set(point, all);
  return all;
}
