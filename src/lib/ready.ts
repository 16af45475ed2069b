/** A value that is here, or comes. One that is here costs no promise: on the way of every request that adds up. */
export type Ready<T> = T | Promise<T>

/** What `next` makes of the value: at once when it is here. */
export function whenReady<T, U>(value: Ready<T>, next: (value: T) => Ready<U>): Ready<U> {
  return value instanceof Promise ? value.then(next) : next(value)
}
