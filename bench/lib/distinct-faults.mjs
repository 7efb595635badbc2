// Distinct faults: kernel lines that are an incident each, of different parts.

const hex = (number) => number.toString(16).padStart(2, '0');

const XID = (i) => [
  `NVRM: Xid (PCI:0000:${hex(i)}:00): 48, pid=${5000 + i}, name=train, DBE (double bit error)`,
  `0000:${hex(i)}:00.0`,
];
const NVME = (i) => [`nvme nvme${i}: controller is down; will reset: CSTS=0xffffffff, PCI_STATUS=0xffff`, `nvme${i}`];
const NIC = (i) => [`mlx5_core 0001:${hex(i)}:00.0: poll_health:829:(pid 0): Fatal error 1 detected`, `0001:${hex(i)}:00.0`]; // biome-ignore format: a fault a line

/** Kinds of which none can lead to another by the graph of causes, so that none waits for the incident of another. */
const APART = [XID, NVME];
/** Of these a lost network card can lead to the errors of every disk: what is new waits for the pause of what may belong to it. */
const AKIN = [XID, NIC, NVME];

/** Most that are different: correlation keeps 256 conditions of one kind. */
export const MOST_FAULTS = 200 * APART.length;

/** The text of the kernel's record, and how its incident names the part. */
export const distinctFault = (number) => faultOf(APART, number);

/** The same of kinds that may have to do with one another. */
export const kindredFault = (number) => faultOf(AKIN, number);

function faultOf(faults, number) {
  const [text, part] = faults[number % faults.length](16 + (Math.floor(number / faults.length) % 200));
  return { text, part };
}
