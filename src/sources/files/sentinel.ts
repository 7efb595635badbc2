// Numbers of sensors: which of them are no reading but a way to say "I do not know".

/** Largest values of the narrower integer types, and DCGM's blank of a double: "not available". */
const SENTINELS = new Set([0x7fff, 0xffff, 0xffff_ffff, 140_737_488_355_328]);
/** dcgm_fields.h: DCGM_INT32_BLANK is 0x7ffffff0, the next three say why; the last is the type's largest value. */
const BLANK_32: readonly [number, number] = [0x7fff_fff0, 0x7fff_ffff];
/** DCGM_INT64_BLANK is 0x7ffffffffffffff0; as a double it and all above it are at least this. */
const BLANK_64 = 2 ** 63;
/** Drivers scale what firmware gave, 0xffff W become 65535000000 µW: the sentinel shows at each of these scales. */
const SCALES = [1, 1000, 1_000_000];

/** True for a raw number that stands for no reading, in the unit of the file or scaled by 10³ or 10⁶. */
export function isSentinel(raw: number): boolean {
  if (!Number.isFinite(raw)) return true;
  const size = Math.abs(raw);
  if (size >= BLANK_64) return true;
  return SCALES.some((scale) => {
    const value = size / scale;
    return SENTINELS.has(value) || (value >= BLANK_32[0] && value <= BLANK_32[1]);
  });
}

/** An integer as sysfs writes it; null when the text is anything else. */
export function parseInteger(text: string | null): number | null {
  return text !== null && /^-?\d{1,20}$/.test(text) ? Number(text) : null;
}

/** All bits of a 64-bit counter set: what a dead device answers. */
const COUNTER_BLANK = 2 ** 64;

/** A counter: an integer that is not negative. */
export function parseCounter(text: string | null): number | null {
  const value = parseInteger(text);
  return value === null || value < 0 || value >= COUNTER_BLANK ? null : value;
}

/** The hwmon interface gives µW; null for sentinels and for what no board of one host draws (20 kW). */
export function powerW(text: string | null): number | null {
  const raw = parseInteger(text);
  if (raw === null || isSentinel(raw)) return null;
  const watts = raw / 1_000_000;
  return watts >= 0 && watts <= 20_000 ? watts : null;
}

/** The hwmon interface gives m°C; null for sentinels and for what no chip survives or no air has. */
export function temperatureC(text: string | null): number | null {
  const raw = parseInteger(text);
  if (raw === null || isSentinel(raw)) return null;
  const degrees = raw / 1000;
  return degrees >= -50 && degrees <= 200 ? degrees : null;
}
