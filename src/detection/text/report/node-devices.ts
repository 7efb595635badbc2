// Node devices: of how many of its GPUs `describe node` says that pods can have them: the device plugin takes out those that are not healthy.

/** Sections at the left edge, and within them "  nvidia.com/gpu:     8". */
const SECTION = /^([A-Z][A-Za-z ]{2,40}):/;
const DEVICES = /^\s{1,8}((?:nvidia|amd|habana|gpu\.intel)\.(?:com|ai)\/[\w.-]{1,48}):\s{1,40}(\d{1,4})\s*$/;
const MOST_RESOURCES = 64;

export interface FewerDevices {
  readonly resource: string;
  readonly capacity: number;
  readonly allocatable: number;
}

export class NodeDevices {
  #section = '';
  readonly #capacity = new Map<string, number>();

  /** Begins another node. */
  clear(): void {
    this.#section = '';
    this.#capacity.clear();
  }

  /** Null where the line does not say that pods can have fewer than there are. */
  take(line: string): FewerDevices | null {
    this.#section = SECTION.exec(line)?.[1] ?? this.#section;
    const [, resource, count] = DEVICES.exec(line) ?? [];
    if (resource === undefined || count === undefined) return null;
    const number = Number(count);
    if (this.#section === 'Capacity' && this.#capacity.size < MOST_RESOURCES) this.#capacity.set(resource, number);
    const capacity = this.#capacity.get(resource);
    if (this.#section !== 'Allocatable' || capacity === undefined || number >= capacity) return null;
    return { resource, capacity, allocatable: number };
  }
}
