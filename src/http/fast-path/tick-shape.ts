import { createHook } from 'node:async_hooks'

let kept: object | undefined

/**
 * Keeps one of the objects that `process.nextTick` creates, of which a request uses a dozen. If a garbage collection finds
 * none, V8 frees their shape, and then creates each through a slow path: a page takes a seventh more instructions
 * (bench/README.md).
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
