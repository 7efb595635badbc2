// Driver fit: what helps where a driver and what uses it do not fit: the new module is loaded, one is loaded at all, or a newer one is installed.

import type { Attributes } from '../../model/event.ts';
import type { Incident } from '../../model/incident.ts';
import { plain } from '../../model/plain.ts';
import { HOST } from './kind-step.ts';
import type { Special } from './special-step.ts';

const LONGEST = 64;
/** What uses the driver on most hosts, then its modules; nvidia-smi then says that it is right. */
const RELOAD =
  'end what holds the driver (sudo lsof /dev/nvidia*; nvidia-persistenced, nvidia-dcgm, nvidia-fabricmanager), then sudo modprobe -r nvidia_uvm nvidia_drm nvidia_modeset nvidia and sudo modprobe nvidia; where that fails reboot it: sudo systemctl reboot';

/** Null where the root is another kind, or something else is asked for. */
export function driverFit(incident: Incident): Special | null {
  const { root, events, action } = incident;
  if (root.kind !== 'gpu.driver_unsupported' || action.kind !== 'update_software') return null;
  const alike = events.filter(({ kind }) => kind === root.kind);
  const facts = factsOf(alike.map(({ attributes }) => attributes));
  const lines = alike.flatMap(({ evidence }) => evidence.flatMap((seen) => ('text' in seen ? [seen.text] : [])));
  const isSaid = (words: RegExp): boolean => lines.some((text) => words.test(text));
  if (facts.mismatch === true || isSaid(/library version mismatch|[Ee]rror 803|unsupported display driver/))
    return ofMismatch(facts);
  if (facts.driver_loaded === false || isSaid(/driver not loaded/i)) return NOT_LOADED;
  if (typeof facts.bound_to === 'string') return boundTo(plain(facts.bound_to, LONGEST));
  if (facts.unsupported === true) return ofModule(facts.module);
  return TOO_OLD;
}

/** Of all lines, for one has the library's version and the next that of the module. */
function factsOf(all: readonly Attributes[]): Attributes {
  return Object.assign({}, ...all.map((each) => Object.fromEntries(Object.entries(each).filter(([, value]) => value !== null)))); // biome-ignore format: one expression
}

function ofMismatch({ library, module, client }: Attributes): Special {
  const text = (version: unknown): string => (typeof version === 'string' ? ` ${plain(version, LONGEST)}` : '');
  const who = typeof client === 'string' ? `nvidia-smi on @ itself works: then only the container of ${plain(client, LONGEST)} has a library of its own; mount the driver's into it (nvidia-container-toolkit). Else ` : ''; // biome-ignore format: one sentence
  return {
    does: `reload the driver of @: an upgrade replaced its library${library === undefined ? '' : ` (${text(library).trim()})`}, and the old module${text(module)} is still loaded`,
    now: `${who}DRAIN; once nothing runs on its GPUs, ${RELOAD}. Then keep driver packages out of unattended upgrades (sudo apt-mark hold, dnf versionlock)`,
    call: HOST,
  };
}

const NOT_LOADED: Special = {
  does: 'load the driver on @: no program there opens a GPU until then',
  now: 'DRAIN; on @, lsmod | grep nvidia; sudo dmesg | grep -i nvrm; dkms status; mokutil --sb-state: after an update of the kernel its module is often not built, or not signed. Then sudo modprobe nvidia says what is wrong',
  call: HOST,
};

const boundTo = (other: string): Special => ({
  does: `give % to the NVIDIA driver: ${other} has it`,
  now: `on @, lspci -nnk -d 10de: names the driver of each GPU; DRAIN; keep ${other} from loading (a file in /etc/modprobe.d with blacklist ${other}, then the initramfs built again), or take it out of the pass-through that asked for it, and reboot`,
  call: HOST,
});

function ofModule(module: unknown): Special {
  const now =
    module === 'open'
      ? 'the loaded modules are the open ones, which do not run this GPU: install the proprietary ones of the same release'
      : typeof module === 'string' && /open/i.test(module)
        ? 'this GPU needs the open kernel modules: install those of the same release (nvidia-open)'
        : `this GPU needs another series of the driver${typeof module === 'string' ? ` than ${plain(module.replace(/^the /, ''), LONGEST)}` : ''}: the lines below name it, or the list of supported chips of the release`;
  return { does: 'install the driver on @ that runs its GPU', now: `DRAIN; ${now}; then reboot it`, call: HOST };
}

const TOO_OLD: Special = {
  does: 'let driver and program on @ fit',
  now: "on @, nvidia-smi shows its driver and the newest CUDA that it runs; start the program from an image for that CUDA; a container has the driver's libraries from nvidia-container-toolkit. Where the program needs a newer driver: DRAIN; once nothing runs on @, install it and reboot",
  call: HOST,
};
