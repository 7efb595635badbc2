// Writes messages of kubelet for tests, by the numbers of the published .proto files.

import { bytesField, varintField } from '../../../src/helpers/proto-fields.ts';

export interface TestContainer {
  readonly name: string;
  readonly id?: string;
  readonly restarts?: number;
  readonly env?: Readonly<Record<string, string>>;
  readonly waiting?: string;
  readonly ended?: { readonly reason: string; readonly exitCode: number; readonly atS: number };
  readonly unhealthy?: string;
}

export interface TestPod {
  readonly uid: string;
  readonly namespace?: string;
  readonly name: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly phase?: string;
  readonly reason?: string;
  readonly message?: string;
  readonly deletionS?: number;
  readonly startedS?: number;
  readonly disruption?: { readonly reason: string; readonly atS: number; readonly message?: string };
  readonly containers?: readonly TestContainer[];
}

const message = (...fields: readonly (Buffer | null)[]): Buffer =>
  Buffer.concat(fields.filter((field): field is Buffer => field !== null));
const text = (number: number, value: string | undefined): Buffer | null =>
  value === undefined ? null : bytesField(number, value);
const time = (number: number, seconds: number | undefined): Buffer | null =>
  seconds === undefined ? null : bytesField(number, varintField(1, seconds));

export function encodePod(pod: TestPod): Buffer {
  const { uid, namespace = 'train', name, labels = {}, containers = [], disruption } = pod;
  const metadata = message(
    text(1, name),
    text(3, namespace),
    text(5, uid),
    time(9, pod.deletionS),
    ...Object.entries(labels).map(([key, value]) => bytesField(11, message(text(1, key), text(2, value)))),
  );
  const spec = message(...containers.map((each) => bytesField(2, container(each))));
  const condition =
    disruption === undefined
      ? null
      : bytesField(2, message(text(1, 'DisruptionTarget'), text(2, 'True'), time(4, disruption.atS), text(5, disruption.reason), text(6, disruption.message))); // biome-ignore format: one message
  const status = message(
    text(1, pod.phase ?? 'Running'),
    condition,
    text(3, pod.message),
    text(4, pod.reason),
    time(7, pod.startedS),
    ...containers.map((each) => bytesField(8, containerStatus(each))),
  );
  return message(bytesField(1, metadata), bytesField(2, spec), bytesField(3, status));
}

function container({ name, env = {} }: TestContainer): Buffer {
  return message(text(1, name), ...Object.entries(env).map(([key, value]) => bytesField(7, message(text(1, key), text(2, value))))); // biome-ignore format: one message
}

function containerStatus({ name, id, restarts = 0, waiting, ended, unhealthy }: TestContainer): Buffer {
  const state = waiting === undefined ? null : bytesField(2, bytesField(1, bytesField(1, waiting)));
  const last =
    ended === undefined
      ? null
      : bytesField(
          3,
          bytesField(3, message(varintField(1, ended.exitCode), text(3, ended.reason), time(6, ended.atS))),
        );
  const health =
    unhealthy === undefined
      ? null
      : bytesField(14, message(text(1, 'nvidia.com/gpu'), bytesField(2, message(text(1, unhealthy), text(2, 'Unhealthy'))))); // biome-ignore format: one message
  return message(text(1, name), state, last, varintField(5, restarts), text(8, id === undefined ? undefined : `containerd://${id}`), health); // biome-ignore format: one message
}

/** Namespace/pod → container → resource → ids. */
export type TestDevices = Readonly<
  Record<string, Readonly<Record<string, Readonly<Record<string, readonly string[]>>>>>
>;

export function encodeDevices(pods: TestDevices): Buffer {
  return message(
    ...Object.entries(pods).map(([pod, containers]) => {
      const [namespace = '', name = ''] = pod.split('/');
      const rows = Object.entries(containers).map(([called, resources]) => {
        const devices = Object.entries(resources).map(([resource, ids]) =>
          bytesField(2, message(text(1, resource), ...ids.map((id) => text(2, id)))),
        );
        return bytesField(3, message(text(1, called), ...devices));
      });
      return bytesField(1, message(text(1, name), text(2, namespace), ...rows));
    }),
  );
}

/** Namespace/pod → devices of its claims, as name of the device → its names in CDI files. One container, main; one pool, node-3. */
export type TestClaims = Readonly<Record<string, Readonly<Record<string, readonly string[]>>>>;

export function encodeClaims(pods: TestClaims, driver = 'gpu.nvidia.com'): Buffer {
  return message(
    ...Object.entries(pods).map(([pod, devices]) => {
      const [namespace = '', name = ''] = pod.split('/');
      const claims = Object.entries(devices).map(([device, cdi]) =>
        bytesField(4, message(...cdi.map((each) => bytesField(1, message(text(1, each)))), text(2, driver), text(3, 'node-3'), text(4, device))),
      ); // biome-ignore format: one message
      const container = message(
        text(1, 'main'),
        bytesField(5, message(text(2, 'gpus'), text(3, namespace), ...claims)),
      );
      return bytesField(1, message(text(1, name), text(2, namespace), bytesField(3, container)));
    }),
  );
}
