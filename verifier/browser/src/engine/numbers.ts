/**
 * Real numbers as integers: every logarithm is taken with enough digits that the rounded integer is certain.
 *
 * Reals stand here as integers in units of 2^-p. Each function says by how many units it can be wrong, and who rounds
 * takes more digits until both ends of the interval round to the same integer.
 */

export const TWO64 = 1n << 64n;

/** A fraction in lowest terms, with a positive denominator. */
export interface Fraction {
  readonly num: bigint;
  readonly den: bigint;
}

const DECIMAL = /^(0|[1-9][0-9]*)(\.[0-9]+)?$/;

function gcd(a: bigint, b: bigint): bigint {
  while (b !== 0n) [a, b] = [b, a % b];
  return a;
}

export function fraction(num: bigint, den: bigint): Fraction {
  const common = gcd(num, den);
  return { num: num / common, den: den / common };
}

/** The value of a decimal of at most 30 characters; null if the text is none. */
export function decimal(text: string): Fraction | null {
  if (text.length > 30 || !DECIMAL.test(text)) return null;
  const point = text.indexOf(".");
  if (point < 0) return { num: BigInt(text), den: 1n };
  const digits = text.length - point - 1;
  return fraction(BigInt(text.slice(0, point) + text.slice(point + 1)), 10n ** BigInt(digits));
}

export function ceilDiv(a: bigint, b: bigint): bigint {
  const q = a / b;
  return a % b > 0n ? q + 1n : q;
}

export function floorDiv(a: bigint, b: bigint): bigint {
  const q = a / b;
  return a % b < 0n ? q - 1n : q;
}

export function bitLength(x: bigint): number {
  return x === 0n ? 0 : x.toString(16).length * 4 - Math.clz32(parseInt(x.toString(16)[0]!, 16)) + 28;
}

/** 2 atanh(num/den) in units of 2^-p, for |num/den| at most 1/3; wrong by fewer units than it has terms. */
function atanhTwice(num: bigint, den: bigint, p: bigint): bigint {
  const z = (num << p) / den;
  const z2 = (z * z) >> p;
  let term = z;
  let sum = 0n;
  for (let k = 1n; term !== 0n && term !== -1n; k += 2n) {
    sum += term / k;
    term = (term * z2) >> p;
  }
  return 2n * sum;
}

const ln2Cache = new Map<bigint, bigint>();
function ln2(p: bigint): bigint {
  let value = ln2Cache.get(p);
  if (value === undefined) {
    value = atanhTwice(1n, 3n, p + 20n) >> 20n;
    ln2Cache.set(p, value);
  }
  return value;
}

/** ln(num/den) in units of 2^-p, wrong by at most 2 units. */
function lnFixed(num: bigint, den: bigint, p: bigint): bigint {
  const work = p + 32n;
  const exponent = bitLength(num) - bitLength(den);
  let a = exponent < 0 ? num << BigInt(-exponent) : num;
  let b = exponent > 0 ? den << BigInt(exponent) : den;
  let shift = BigInt(exponent);
  // Now 1/2 < a/b < 2. Bring it to 2/3 .. 4/3.
  if (3n * a > 4n * b) {
    b <<= 1n;
    shift += 1n;
  } else if (3n * a < 2n * b) {
    a <<= 1n;
    shift -= 1n;
  }
  // More digits than the work needs only make the division slow.
  const excess = BigInt(bitLength(b)) - 2n * work;
  if (excess > 0n) {
    a >>= excess;
    b >>= excess;
  }
  return (atanhTwice(a - b, a + b, work) + shift * ln2(work)) >> 32n;
}

/** floor(2^bits ln(num/den)). */
export function floorLn(num: bigint, den: bigint, bits: number): bigint {
  if (num === den) return 0n;
  for (let guard = 32n; ; guard *= 2n) {
    const value = lnFixed(num, den, BigInt(bits) + guard);
    const low = (value - 2n) >> guard;
    if (low === (value + 2n) >> guard) return low;
  }
}

/** ceil(2^bits ln(num/den)). A logarithm is an integer only if it is 0. */
export function ceilLn(num: bigint, den: bigint, bits: number): bigint {
  return num === den ? 0n : floorLn(num, den, bits) + 1n;
}

/** e^(g / 2^64) in units of 2^-p, wrong by at most 2^8 units of 2^-p times e^(g / 2^64). */
function expFixed(g: bigint, p: bigint): bigint {
  const work = p + 64n;
  const x = g << (work - 64n);
  const l = ln2(work);
  const k = x / l;
  const r = x - k * l;
  let term = 1n << work;
  let sum = term;
  for (let n = 1n; term !== 0n; n += 1n) {
    term = ((term * r) >> work) / n;
    sum += term;
  }
  return (sum << k) >> 64n;
}

/** ceil(-2^64 ln((a - b e^(g / 2^64)) / c)), where a - b e^(g / 2^64) is above 0. */
export function ceilMinusLn(a: bigint, b: bigint, c: bigint, g: bigint): bigint {
  if (g === 0n) return ceilLn(c, a - b, 64);
  for (let guard = 64n; ; guard *= 2n) {
    const p = 192n + guard;
    const e = expFixed(g, p);
    const wrong = (e >> (p - 9n)) + 1n;
    const least = (a << p) - b * (e + wrong);
    const most = (a << p) - b * (e - wrong);
    if (least <= 0n) {
      if (guard > 4096n) throw new RangeError("the logarithm of a number that is not above 0");
      continue;
    }
    // The larger the numerator, the smaller -ln.
    const low = ceilLn(c << p, most, 64);
    const high = ceilLn(c << p, least, 64);
    if (low === high) return low;
  }
}

/** threshold(x) = ceil(2^64 x). */
export function threshold(x: Fraction): bigint {
  return ceilDiv(TWO64 * x.num, x.den);
}

const costs = new Map<bigint, bigint>();

/** cost(t) = floor(-2^64 ln(1 - t / 2^64)), for a chance t below 2^64. */
export function cost(t: bigint): bigint {
  if (t >= TWO64) throw new RangeError("what is sure to be drawn has no cost");
  let value = costs.get(t);
  if (value === undefined) {
    value = floorLn(TWO64, TWO64 - t, 64);
    if (costs.size > 50000) costs.clear();
    costs.set(t, value);
  }
  return value;
}

/** The least chance t with cost(t) >= x. */
export function leastChance(x: bigint): bigint {
  let low = 0n;
  let high = TWO64 - 1n;
  while (low < high) {
    const middle = (low + high) >> 1n;
    if (cost(middle) >= x) high = middle;
    else low = middle + 1n;
  }
  return low;
}
