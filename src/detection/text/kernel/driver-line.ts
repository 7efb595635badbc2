// NVIDIA driver lines without an XID: a GPU off the bus, failed initialisation, a loaded module, identities, notices.

import { evidenceText } from '../evidence.ts';
import { ADDRESS, gpuAt, hostOf, type KernelContext, learnIdentity } from './context.ts';
import type { Finding } from './finding.ts';
import { unsupportedLine } from './unsupported-line.ts';

type Groups = readonly (string | undefined)[];
type Decode = (groups: Groups, context: KernelContext) => Finding | null;

/** The driver writes some messages over several lines, which may be one record. */
const NEXT = '(?:\\n|\\\\x0a| )[ \\t]*(?:NVRM: )?[ \\t]*';
const GONE = 'fallen off the bus and is not responding to commands\\.';
const VERSION = '\\d{2,4}(?:\\.\\d{1,4}){1,2}';
/** A message of three lines is over after that many more. */
const MESSAGE_LINES = 3;

/** Each from the start of the line (kernel-open/nvidia/nv.c, arch/nvalloc/unix/src/osapi.c and osinit.c of the open modules). */
const FORMS: readonly (readonly [form: RegExp, decode: Decode])[] = [
  // "GPU 0000:91:00.0: GPU has fallen off the bus.", "GPU at 0000:01:00.0 has fallen off the bus."
  [new RegExp(`^NVRM: GPU (?:at )?(?:PCI:)?(${ADDRESS}):? (?:GPU )?has fallen off the bus\\.?\\s*$`), lost],
  // "The NVIDIA GPU 0000:b3:00.0", "(PCI ID: 10de:26b5) installed in this system has", "fallen off the bus and ..."
  [
    new RegExp(
      `^NVRM: The NVIDIA GPU (${ADDRESS})(${NEXT}\\(PCI ID: \\w{4}:\\w{4}\\) installed in this system has${NEXT}${GONE})?\\s*$`,
    ),
    (groups, context) => (groups[2] === undefined ? openMessage(groups, context) : lost(groups, context)),
  ],
  [new RegExp(`^NVRM: ${GONE}\\s*$`), lostOpen],
  [new RegExp(`^NVRM: GPU at PCI:(${ADDRESS}): (GPU-[0-9a-fA-F-]{36})\\s*$`), identity],
  [/^NVRM: GPU Board Serial Number: (\d{1,20})\s*$/, serial],
  [/^NVRM: loading NVIDIA UNIX (.{1,160})/, moduleLoaded],
  // "RmInitAdapter failed! (0x26:0x1a:1227)", and its second line in other words
  [
    new RegExp(`^NVRM: GPU (${ADDRESS}): (?:RmInitAdapter failed!(?: \\(([\\w:]{1,32})\\))?|rm_init_adapter failed)`),
    initialisation,
  ],
  // Before it names the GPU: older drivers, and the firmware's own boot (kern_fsp.c, kernel_gsp.c); only a line next to them says which one it is.
  [
    /^NVRM: (?:RmInitAdapter failed!(?: \(([\w:]{1,32})\))?|rm_init_adapter(?:\(\d{1,3}\))? failed|RmInitAdapter: Cannot initialize GSP firmware RM|(?:GPU\d{1,3} )?kfsp\w{1,40}: FSP (?:command|response|boot) timed out|FSP command timed out|kfsp\w{1,40}: FSP (?:boot|returned) (?:failed|error)[^\n]{0,80}|(?:GPU\d{1,3} )?_?kgsp\w{1,40}: unexpected WPR2 already up, cannot proceed with booting GSP|(?:GPU\d{1,3} )?_?kgsp\w{1,40}: \(the GPU is likely in a bad state and may need to be reset\)|None of the NVIDIA devices were initialized\.?)/,
    namelessInitialisation,
  ],
  // nv.c, nvidia_init_module(): another driver has the devices.
  [/^NVRM: The NVIDIA probe routine was not called for (\d{1,3}) device\(s\)\.?/, notProbed],
  [
    /^NVRM: (?:request_mem_region failed for \d{1,6}M @ 0x[0-9a-f]{1,16}\.|No NVIDIA (?:graphics adapter probed!|devices probed\.)|(?:PAT|IRQ)? ?[Cc]an't find an IRQ for your NVIDIA card!)/,
    namelessInitialisation,
  ],
  // The client's name and its version are the client's own words; the module's version is the module's.
  [
    new RegExp(
      `^NVRM: API mismatch: the client (?:'([^]{0,15})' \\(pid (\\d{1,10})\\)${NEXT})?has the version ([^]{0,1000})`,
    ),
    mismatch,
  ],
  // The same in records of their own; each of these words is in this message alone (nvidia_check_versions of nv.c and osapi.c).
  [/^NVRM: API mismatch: the client '([\s\S]{0,15})' \(pid (\d{1,10})\)\s*$/, mismatch],
  [new RegExp(`^NVRM: has the version (${VERSION}), but this kernel module has\\s*$`), ofLibrary],
  [new RegExp(`^NVRM: (?:this kernel module has )?the version (${VERSION})\\.\\s{1,4}Please\\b`), ofModule],
  // "This PCI I/O region assigned to your NVIDIA device is invalid:" and then "BAR1 is 0M @ 0x0 (PCI:0000:43:00.0)"
  [
    new RegExp(
      `^NVRM: (?:This PCI I/O region assigned to your NVIDIA device is invalid:${NEXT})?BAR(\\d) is 0M @ 0x0 \\(PCI:(${ADDRESS})\\)`,
    ),
    noRoom,
  ],
  // From here on every count is too low.
  [
    new RegExp(
      `^NVRM: Rate limiting GSP RPC error prints(?: for GPU at PCI:(${ADDRESS}))? \\(printing 1 of every (\\d{1,5})\\)`,
    ),
    rateLimit,
  ],
  [/^NVRM: (?:\w{1,64}: )?(?:Assertion failed: )?Back to back GSP RPC timeout detected!/, markedForReset],
];

/** Null when the line is none of the driver's, or says nothing worth an event; identities are learnt on the way. */
export function driverLine(text: string, context: KernelContext): Finding | null {
  if (!text.startsWith('NVRM: ')) return null;
  ageOpenMessage(context);
  const unknown = unsupportedLine(text, context);
  if (unknown !== null) return unknown;
  for (const [form, decode] of FORMS) {
    const groups = form.exec(text);
    if (groups !== null) return decode(groups, context);
  }
  return null;
}

function lost([, address = '']: Groups, context: KernelContext): Finding {
  context.openMessage = null;
  return { kind: 'gpu.lost', component: gpuAt(address, context), attributes: {} };
}

function lostOpen(_: Groups, context: KernelContext): Finding {
  return lost(['', context.openMessage?.address], context);
}

function ageOpenMessage(context: KernelContext): void {
  if (context.openMessage === null) return;
  context.openMessage.age += 1;
  if (context.openMessage.age > MESSAGE_LINES) context.openMessage = null;
}

function openMessage([, address = '']: Groups, context: KernelContext): null {
  context.openMessage = { address, age: 0 };
  return null;
}

/** "0000:9b:00: GPU-509665ad-..." */
function identity([, address = '', uuid = '']: Groups, context: KernelContext): null {
  context.lastIdentity = null;
  const gpu = gpuAt(address, context);
  if (gpu !== null) learnIdentity(context, gpu.id, uuid);
  return null;
}

/** "1650124014249", of the GPU whose identity line came just before. */
function serial([, digits = '']: Groups, context: KernelContext): null {
  const known = context.lastIdentity === null ? undefined : context.identities.get(context.lastIdentity);
  if (known !== undefined && !/^0+$/.test(digits)) known.serial = digits;
  context.lastIdentity = null;
  return null;
}

/** "Open Kernel Module for x86_64  570.158.01  Release Build ...": the first word with a dotted number is the version. */
function moduleLoaded([, words = '']: Groups, context: KernelContext): Finding {
  const version = words.split(' ').find((word) => /^\d{2,4}\.\d{1,4}(\.\d{1,4})?$/.test(word));
  return {
    kind: 'driver.reloaded',
    component: hostOf(context),
    attributes: { driver: version ?? null, open_module: words.startsWith('Open ') },
  };
}

/**
 * "the client has the version 575.57.08, but NVRM: this kernel module has the version 570.86.10.  Please ...": a library
 * that was upgraded under a module that was not, or the other way round.
 */
function mismatch([, client, pid, versions = '']: Groups, context: KernelContext): Finding {
  const library = CLIENT.exec(versions)?.[1];
  const module = MODULE.exec(versions)?.[1];
  const found = unfit(context, {
    ...(library === undefined ? {} : { library }),
    ...(module === undefined ? {} : { module }),
    // Newer drivers say who: one container with a library of its own is not the host.
    ...(client === undefined ? {} : { client: evidenceText(client), client_pid: Number(pid) }),
  });
  // Where none is named no new program of the host opens a GPU.
  return client === undefined ? { ...found, severity: 'error' } : found;
}

function ofLibrary([, library = '']: Groups, context: KernelContext): Finding {
  return unfit(context, { library });
}

function ofModule([, module = '']: Groups, context: KernelContext): Finding {
  return unfit(context, { module });
}

/** Of what a line leaves out the next one says more. */
function unfit(context: KernelContext, attributes: Finding['attributes']): Finding {
  return { kind: 'gpu.driver_unsupported', component: hostOf(context), attributes: { mismatch: true, ...attributes } };
}

/** A client may call its version anything, so that only what reads like one is taken. */
const CLIENT = new RegExp(`^(${VERSION}), but(?:\\s*$|${NEXT}this kernel module has)`);
/** The last one, for a client's version may end in such words. */
const MODULE = new RegExp(`^[^]*this kernel module has(?:${NEXT})(?:the )?version (${VERSION})`);

/** That a GPU which the driver does not run does not come up is said already. */
function initialisation([, address = '', code]: Groups, context: KernelContext): Finding | null {
  const attributes = code === undefined ? {} : { code: evidenceText(code) };
  const gpu = gpuAt(address, context);
  return gpu !== null && context.unsupported.has(gpu.id)
    ? null
    : { kind: 'gpu.init_failure', component: gpu, attributes };
}

function namelessInitialisation([, code]: Groups): Finding {
  return {
    kind: 'gpu.init_failure',
    component: null,
    attributes: code === undefined ? {} : { code: evidenceText(code) },
  };
}

/** Nouveau or a pass-through driver holds the devices. */
function notProbed([, devices]: Groups): Finding {
  return { kind: 'gpu.init_failure', component: null, attributes: { devices: Number(devices), taken: true } };
}

/** Firmware gave the device no address space for one of its windows. */
function noRoom([, bar, address = '']: Groups, context: KernelContext): Finding {
  return { kind: 'gpu.init_failure', component: gpuAt(address, context), attributes: { bar: Number(bar) } };
}

function rateLimit([, address, oneIn]: Groups, context: KernelContext): Finding {
  return {
    kind: 'gpu.driver_notice',
    component: address === undefined ? null : gpuAt(address, context),
    attributes: { notice: 'rate_limited', one_in: Number(oneIn) },
  };
}

function markedForReset(): Finding {
  return { kind: 'gpu.gsp_timeout', component: null, attributes: { marked_for_reset: true } };
}
