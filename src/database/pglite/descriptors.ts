import { closeSync, openSync } from 'node:fs'
import { devNull } from 'node:os'
import { limit } from '../../lib/limits.js'

const DESCRIPTORS = limit('engineDescriptors')

/**
 * The descriptors that the engine may need, held open by placeholders, so that it can open its files however many
 * connections take the rest. A process with too few holds what there is.
 */
export class Descriptors {
  #placeholders: number[] = []
  #filesOpen = 0

  constructor() {
    this.#fill()
  }

  /** Runs code that opens files instead of placeholders. `opened` is how many more it leaves open, or fewer. */
  use<T>(run: () => T, opened = 0): T {
    const placeholder = opened < 0 ? undefined : this.#placeholders.pop()
    if (placeholder !== undefined) closeSync(placeholder)
    try {
      const result = run()
      this.#filesOpen += opened
      return result
    } finally {
      this.#fill()
    }
  }

  release(): void {
    for (const placeholder of this.#placeholders.splice(0)) closeSync(placeholder)
    this.#filesOpen = DESCRIPTORS
  }

  #fill(): void {
    try {
      while (this.#placeholders.length + this.#filesOpen < DESCRIPTORS) this.#placeholders.push(openSync(devNull, 'r'))
    } catch {
      // Taken by others in the meantime: the next closed file makes up for it.
    }
  }
}
