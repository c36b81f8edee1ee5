/** The constants of SHA-2 (FIPS 180-4): the first bits behind the point of the roots of the first primes. */

const BITS = 64n;
/** No root that is asked for has more bits than this in front of the point: all are below 8. */
const WHOLE = 3n;

/** 64 bits of the square roots (2) or the cube roots (3) of the first primes. SHA-256 takes the upper half of each. */
export function rootsOfPrimes(count: number, degree: bigint): bigint[] {
  const primes: bigint[] = [];
  for (let n = 2n; primes.length < count; n++) if (primes.every((prime) => n % prime !== 0n)) primes.push(n);
  return primes.map((prime) => {
    let root = 0n;
    for (let bit = 1n << (BITS + WHOLE); bit > 0n; bit >>= 1n) if ((root + bit) ** degree <= prime << (BITS * degree)) root += bit;
    return BigInt.asUintN(64, root);
  });
}
