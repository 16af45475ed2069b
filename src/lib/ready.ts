/**
 * A value, or the promise of one. What every request does takes a value at hand without a promise: `await` in its place
 * costs 5 % of full 50 (bench/README.md).
 */
export type Ready<T> = T | Promise<T>

/** `next` of the value, synchronously when it is at hand. */
export function whenReady<T, U>(value: Ready<T>, next: (value: T) => Ready<U>): Ready<U> {
  return value instanceof Promise ? value.then(next) : next(value)
}
