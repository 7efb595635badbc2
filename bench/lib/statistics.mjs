// What benchmarks say of many measurements: medians, intervals, slopes and exponents.

/** The middle value; NaN of none. */
export function median(values) {
  const sorted = values.toSorted((a, b) => a - b);
  const half = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[half] : (sorted[half - 1] + sorted[half]) / 2;
}

/**
 * The median and where that of all such measurements lies 95 times in 100, by order statistics: it asks nothing of how they are
 * spread. With fewer than six values the interval is all that was seen, and covers less.
 */
export function medianWithin(values) {
  const sorted = values.toSorted((a, b) => a - b);
  const n = sorted.length;
  const rank = Math.max(0, Math.floor((n - 1.96 * Math.sqrt(n)) / 2));
  return { median: median(values), low: sorted[rank], high: sorted[n - 1 - rank] };
}

/** The slope of the line of least squares through [x, y], and half the width of its interval of 95 %. */
export function slopeOf(points) {
  const n = points.length;
  const mean = (i) => points.reduce((sum, point) => sum + point[i], 0) / n;
  const [mx, my] = [mean(0), mean(1)];
  const spread = points.reduce((sum, [x]) => sum + (x - mx) ** 2, 0);
  const slope = points.reduce((sum, [x, y]) => sum + (x - mx) * (y - my), 0) / spread;
  const left = points.reduce((sum, [x, y]) => sum + (y - my - slope * (x - mx)) ** 2, 0);
  return { slope, within: quantileOfT(n - 2) * Math.sqrt(left / (n - 2) / spread) };
}

/** The slope through the logarithms: 1 is linear, 0 does not grow; and half its interval of 95 %. */
export function exponentOf(points) {
  return slopeOf(points.map(([x, y]) => [Math.log(x), Math.log(y)]));
}

/** Medians of values that follow each other, `size` at a time, as [mean x, median y]: neighbours that sway together count once. */
export function blocksOf(points, size) {
  const blocks = [];
  for (let at = 0; at + size <= points.length; at += size) {
    const part = points.slice(at, at + size);
    blocks.push([part.reduce((sum, [x]) => sum + x, 0) / size, median(part.map(([, y]) => y))]);
  }
  return blocks;
}

/** Student's t at 97.5 %, by the expansion of Cornish and Fisher: right to 1 % from three degrees of freedom on. */
function quantileOfT(freedom) {
  const z = 1.959964;
  return z + (z ** 3 + z) / (4 * freedom) + (5 * z ** 5 + 16 * z ** 3 + 3 * z) / (96 * freedom ** 2);
}

/**
 * Of pairs [one, other] the ratio of their means, and where it lies in 95 of 100 draws of as many pairs (bootstrap, the same draws at each
 * run): means, so that what is rare and dear counts.
 */
export function ratioWithin(pairs, draws = 4000) {
  const ratio = (some) => {
    let [one, other] = [0, 0];
    for (const pair of some) {
      one += pair[0];
      other += pair[1];
    }
    return one / other;
  };
  let state = 7;
  const below = (n) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * n);
  };
  const drawn = Array.from({ length: draws }, () => ratio(pairs.map(() => pairs[below(pairs.length)])));
  drawn.sort((a, b) => a - b);
  return { ratio: ratio(pairs), low: drawn[Math.floor(draws * 0.025)], high: drawn[Math.floor(draws * 0.975)] };
}
