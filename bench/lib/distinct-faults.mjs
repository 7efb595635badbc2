// Distinct faults: kernel lines that are an incident each, of different parts that have nothing to do with one another.

const hex = (number) => number.toString(16).padStart(2, '0');

const FAULTS = [
  (i) => [`NVRM: Xid (PCI:0000:${hex(i)}:00): 48, pid=${5000 + i}, name=train, DBE (double bit error)`, `0000:${hex(i)}:00.0`],
  (i) => [`mlx5_core 0001:${hex(i)}:00.0: poll_health:829:(pid 0): Fatal error 1 detected`, `0001:${hex(i)}:00.0`],
  (i) => [`nvme nvme${i}: controller is down; will reset: CSTS=0xffffffff, PCI_STATUS=0xffff`, `nvme${i}`],
]; // biome-ignore format: a fault a line

/** Most that are different: correlation keeps 256 conditions of one kind. */
export const MOST_FAULTS = 200 * FAULTS.length;

/** The text of the kernel's record, and how the title of its incident names the part. */
export function distinctFault(number) {
  const [text, part] = FAULTS[number % FAULTS.length](16 + (Math.floor(number / FAULTS.length) % 200));
  return { text, part };
}
