/**
 * A value, or the promise of one. Code that every request runs uses an available value without a promise: an `await` instead
 * costs 5 % of full 50 (bench/README.md).
 */
export type Ready<T> = T | Promise<T>

/** Applies `next` to the value, synchronously if it is available. */
export function whenReady<T, U>(value: Ready<T>, next: (value: T) => Ready<U>): Ready<U> {
  return value instanceof Promise ? value.then(next) : next(value)
}
