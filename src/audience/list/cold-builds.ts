import { ApiError } from '../../errors.js'
import { limit } from '../../lib/limits.js'

const AT_ONCE = limit('listBuildsAtOnce')
const WAITING_MAX = limit('listBuildsWaiting')
const WAITING_MAX_OF_ORGANIZATION = limit('listBuildsWaitingOfOrganization')
const RETRY_SECONDS = 2

/**
 * Builds lists that are read whole from the database, a few at once and the others in turn. Organizations take turns, so
 * that one with many channels does not keep the others waiting.
 */
export class ColdBuilds {
  #running = 0
  #waitingCount = 0
  /** The queues by organization, in the order of their next turns. */
  readonly #waiting = new Map<string, (() => void)[]>()

  /** Throws lists_busy if too many are waiting. */
  async run<T>(organizationId: string, build: () => Promise<T>): Promise<T> {
    if (this.#running < AT_ONCE) this.#running += 1
    else await this.#turn(organizationId)
    try {
      return await build()
    } finally {
      this.#next()
    }
  }

  #turn(organizationId: string): Promise<void> {
    const own = this.#waiting.get(organizationId) ?? []
    if (this.#waitingCount >= WAITING_MAX || own.length >= WAITING_MAX_OF_ORGANIZATION) {
      throw new ApiError('lists_busy', { retryAfterSeconds: RETRY_SECONDS })
    }
    this.#waitingCount += 1
    this.#waiting.set(organizationId, own)
    return new Promise((resolve) => own.push(resolve))
  }

  /** Gives the place of a finished build to the next one. */
  #next(): void {
    const [first] = this.#waiting
    if (first === undefined) {
      this.#running -= 1
      return
    }
    const [organizationId, own] = first
    const start = own.shift()!
    this.#waitingCount -= 1
    this.#waiting.delete(organizationId)
    if (own.length > 0) this.#waiting.set(organizationId, own)
    start()
  }
}
