// A GPU that this build of the NVIDIA driver does not run: the driver does not fit, and nothing is broken.

import { evidenceText } from '../evidence.ts';
import { ADDRESS, gpuAt, hostOf, type KernelContext } from './context.ts';
import type { Finding } from './finding.ts';

/** The driver writes the message over several lines, which may be one record. */
const NEXT = '(?:\\n|\\\\x0a| )[ \\t]*(?:NVRM: )?[ \\t]*';
/** "not supported by open nvidia.ko because ...", "not supported by the 304.116 NVIDIA Linux driver release", "requires use of the NVIDIA open kernel modules". */
const REASON = `(?:is not supported by (open|the \\d{2,4}(?:\\.\\d{1,4}){1,2})|requires use of the (NVIDIA open)(?:${NEXT}| )kernel modules)`;
const GPU = `NVRM: The NVIDIA GPU (${ADDRESS})(?: |${NEXT})\\(PCI ID: \\w{4}:\\w{4}\\)`;
/** kernel-open/nvidia/nv.c and arch/nvalloc/unix/src/osapi.c of the open modules. */
const WHOLE = new RegExp(`^${GPU}${NEXT}installed in this system ${REASON}[^]{0,800}$`);
const OPENS = new RegExp(`^${GPU}\\s*$`);
const CONTINUES = new RegExp(`^NVRM: (?:\\(PCI ID: \\w{4}:\\w{4}\\) )?installed in this system ${REASON}[^]{0,800}$`);
/** "The NVIDIA Tesla K80 GPU installed in this system is", "supported through the NVIDIA 470.xx Legacy drivers." */
const LEGACY = /^NVRM: +supported through the NVIDIA ([\w.]{3,16}) Legacy drivers\b[\s\S]{0,400}$/;
/** "Open nvidia.ko is only ready for use on Data Center GPUs." */
const NOT_READY = /^NVRM: Open nvidia\.ko is only ready for use on Data Center GPUs\.[\s\S]{0,400}$/;
/** "GPU 0000:01:00.0 is already bound to nouveau." */
const BOUND = new RegExp(`^NVRM: GPU (${ADDRESS}) is already bound to (\\w{1,32})\\.?\\s*$`);
/** A host has 16 GPUs at most. */
const MAX_UNSUPPORTED = 64;

export function unsupportedLine(text: string, context: KernelContext): Finding | null {
  const [whole, address, module, needed] = WHOLE.exec(text) ?? [];
  if (whole !== undefined) return unsupported(address ?? null, module ?? needed, context);
  const opened = OPENS.exec(text)?.[1];
  if (opened !== undefined) {
    context.openMessage = { address: opened, age: 0 };
    return null;
  }
  const [next, ofModule, needs] = CONTINUES.exec(text) ?? [];
  if (next !== undefined) {
    const { openMessage } = context;
    context.openMessage = null;
    return unsupported(openMessage?.address ?? null, ofModule ?? needs, context);
  }
  const legacy = LEGACY.exec(text)?.[1];
  if (legacy !== undefined) return unsupported(null, `a driver of the ${legacy} series`, context);
  if (NOT_READY.test(text)) return unsupported(null, 'open', context);
  const [, device, other] = BOUND.exec(text) ?? [];
  if (device === undefined || other === undefined) return null;
  return { kind: 'gpu.driver_unsupported', component: gpuAt(device, context), attributes: { bound_to: other } };
}

function unsupported(address: string | null, module: string | undefined, context: KernelContext): Finding {
  const gpu = address === null ? null : gpuAt(address, context);
  if (gpu !== null && context.unsupported.size < MAX_UNSUPPORTED) context.unsupported.add(gpu.id);
  const why = module === undefined ? {} : { module: evidenceText(module) };
  return {
    kind: 'gpu.driver_unsupported',
    component: gpu ?? hostOf(context),
    attributes: { unsupported: true, ...why },
  };
}
