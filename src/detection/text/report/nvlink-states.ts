// Reads the states of links that `dcgmi nvlink --link-status` and `nvidia-smi nvlink --status` print: a GPU or switch, then its links.

import { NOTHING, type Reported, type ReportedFinding, type ReportReader } from './report.ts';

/** "    gpuId 0:", "    physicalId 8:" of a switch; some who quote it put the links on the same line. */
const OWNER = /^ {0,8}(gpuId|physicalId) (\d{1,4}):(?: {1,4}([UDX_](?: [UDX_]){0,143}))? *$/;
/** Up, Down, Disabled and Not Supported: only what is down was meant to be up. */
const LINKS = /^ {4,12}[UDX_](?: [UDX_]){0,143} *$/;
/** "GPU 0: NVIDIA H100 80GB HBM3 (UUID: GPU-…)"; whoever shows it to others may have taken the UUID out. */
const SMI_GPU = /^GPU (\d{1,3}): (.{1,80}) \(UUID: [^()]{1,64}\)\s*$/;
/** "	 Link 0: 26.562 GB/s", "	 Link 4: <inactive>" */
const SMI_LINK = /^\s{1,16}Link (\d{1,3}): (?:(\d{1,5}(?:\.\d{1,6})?) GB\/s|<?[Ii]n-?[Aa]ctive>?)\s*$/;
/** "NVML: Unable to retrieve NVLink information as all links are inActive": so of a GPU whose links are not listed. */
const SMI_NONE = /^\s{0,8}(?:NVML: )?Unable to retrieve NVLink information as all links are [Ii]n-?[Aa]ctive\s*$/;
/** Modules of boards, on which every link is wired: by form, or a model that there is as such a module alone. */
const MODULE = /\bSXM\d?\b|\b(?:H100 80GB HBM3|H200|B[123]00)$/;
/** More GPUs than one host has. */
const MOST_GPUS = 256;

interface SmiGpu {
  readonly index: number;
  readonly model: string;
  active: number;
  /** The lines of the links that are not, by their numbers. */
  readonly inactive: Map<number, string>;
}

export class NvlinkStates implements ReportReader {
  readonly form = 'nvlink_status';
  #owner: { readonly is: string; readonly id: number } | null = null;
  #gpus: SmiGpu[] = [];
  #gpu: SmiGpu | null = null;

  take(line: string): Reported | null {
    const gpu = SMI_GPU.exec(line);
    // The list of `nvidia-smi -L` has the same lines: others may want them.
    if (gpu !== null) {
      this.#gpu = { index: Number(gpu[1]), model: gpu[2] ?? '', active: 0, inactive: new Map() };
      return null;
    }
    return this.#gpu === null ? this.#dcgm(line) : (this.#link(this.#gpu, line) ?? this.#dcgm(line));
  }

  /**
   * Links without a bridge are inactive on a card that is well, so that nvidia-smi's word says nothing alone: what counts is
   * that another GPU of the same model has more of them up. Of a module of a board, where it is listed alone, some or none of them: a
   * virtual machine may have one GPU without its links, but that is its number 0.
   */
  end(): Reported | null {
    const most = new Map<string, number>();
    for (const { model, active } of this.#gpus) most.set(model, Math.max(active, most.get(model) ?? 0));
    const findings = this.#gpus.flatMap(({ index, model, active, inactive }) => {
      const up = most.get(model) ?? 0;
      const isAlone = MODULE.test(model) && this.#gpus.filter((each) => each.model === model).length === 1;
      const named = namedLinks([...inactive.keys()]);
      if (isAlone && inactive.size > 0 && active > 0)
        return [smiDegraded(index, inactive, { links_down: inactive.size, links: active + inactive.size, ...named })];
      if (isAlone && index > 0 && active === 0) return [smiDegraded(index, inactive, { links_active: 0 })];
      if (inactive.size === 0 || active >= up) return [];
      const isExact = inactive.size === up - active;
      return [smiDegraded(index, inactive, { links_down: up - active, links: up, ...(isExact ? named : {}) })];
    });
    this.#gpus = [];
    return findings.length === 0 ? null : { ...NOTHING, findings };
  }

  #link(gpu: SmiGpu, line: string): Reported | null {
    const found = SMI_LINK.exec(line);
    if (found === null && !SMI_NONE.test(line)) return null;
    if (!this.#gpus.includes(gpu) && this.#gpus.length < MOST_GPUS) this.#gpus.push(gpu);
    if (found?.[2] === undefined) gpu.inactive.set(Number(found?.[1] ?? -1), line.trim());
    else gpu.active += 1;
    return NOTHING;
  }

  #dcgm(line: string): Reported | null {
    const [owner, is, id, links] = OWNER.exec(line) ?? [];
    if (owner !== undefined) {
      this.#owner = { is: is === 'gpuId' ? 'gpu' : 'switch', id: Number(id) };
      return links === undefined ? NOTHING : this.#states(links);
    }
    return LINKS.test(line) ? this.#states(line) : null;
  }

  #states(text: string): Reported | null {
    const owner = this.#owner;
    if (owner === null) return null;
    this.#owner = null;
    const states = text.trim().split(' ');
    const down = states.filter((state) => state === 'D').length;
    if (down === 0) return NOTHING;
    const links = states.filter((state) => state !== '_').length;
    const named = namedLinks(down === links ? [] : states.flatMap((state, i) => (state === 'D' ? [i] : [])));
    const attributes = { reported_as: 'dcgm', [`dcgm_${owner.is}`]: owner.id, links_down: down, links, ...named };
    return { ...NOTHING, findings: [degraded(`${owner.is} ${owner.id}`, attributes)] };
  }
}

/** As many as one line of a report has room for, and a quote of it. */
const MOST_NAMED = 6;
const MOST_LINES = 4;

/** Their numbers, where they are few; nothing where no line has one. */
function namedLinks(named: readonly number[]): { links_named?: string } {
  const isNamed = named.length > 0 && named.length <= MOST_NAMED && named.every((link) => link >= 0);
  return isNamed ? { links_named: named.join(', ') } : {};
}

function smiDegraded(
  index: number,
  inactive: ReadonlyMap<number, string>,
  attributes: ReportedFinding['attributes'],
): ReportedFinding {
  const lines = [...inactive.values()].slice(0, MOST_LINES);
  return { ...degraded(`gpu ${index}`, { gpu_index: index, ...attributes }), ...(lines.length === 0 ? {} : { lines }) };
}

/** Neither program says at which address: a number of a GPU is not one. */
function degraded(discriminator: string, attributes: ReportedFinding['attributes']): ReportedFinding {
  return { kind: 'nvlink.degraded', component: null, attributes, discriminator };
}
