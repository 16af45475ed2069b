import { createHook } from 'node:async_hooks'

let kept: object | undefined

/**
 * Holds one of the objects that `process.nextTick` makes, of which a request takes a dozen. V8 frees their shape at
 * a garbage collection that finds none of them, and makes each by a slow path from then on: a page takes a seventh
 * more instructions (bench/README.md).
 */
export function keepTickShape(): void {
  const hook = createHook({
    init(_id, type, _trigger, resource) {
      if (type === 'TickObject') kept = resource
    },
  }).enable()
  process.nextTick(() => kept)
  hook.disable()
}
