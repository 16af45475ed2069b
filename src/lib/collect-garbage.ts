import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

/**
 * Frees unreferenced memory at once. V8 collects when memory is requested, which an idle process hardly does: it would keep
 * what its start used for hours.
 */
export function collectGarbage(): void {
  setFlagsFromString('--expose-gc')
  const collect: () => void = runInNewContext('gc')
  setFlagsFromString('--no-expose-gc')
  collect()
}
