import { limit } from '../lib/limits.js'
import { DatabaseBusyError } from './database.js'

/** Changes of one organization on this node: the running ones, and those that wait for one of them to end. */
interface Organization {
  running: number
  waiting: Set<() => void>
}

/**
 * Limits how many changes one organization makes at the same time, so that changes that wait for each other leave
 * connections to other organizations.
 */
export class Places {
  readonly #organizations = new Map<string, Organization>()

  constructor(private readonly perOrganization: number) {}

  /**
   * Runs the work when there is a place for it, first come, first served. Throws DatabaseBusyError if too many wait before
   * it, or for too long.
   */
  async run<T>(organizationId: string, work: () => Promise<T>): Promise<T> {
    let organization = this.#organizations.get(organizationId)
    if (organization === undefined) {
      organization = { running: 0, waiting: new Set() }
      this.#organizations.set(organizationId, organization)
    }
    if (organization.running < this.perOrganization) organization.running += 1
    else await this.#wait(organization)
    try {
      return await work()
    } finally {
      const [next] = organization.waiting
      // The place is handed on, so that a newcomer cannot take it.
      if (next !== undefined) next()
      else {
        organization.running -= 1
        if (organization.running === 0) this.#organizations.delete(organizationId)
      }
    }
  }

  #wait({ waiting }: Organization): Promise<void> {
    if (waiting.size >= limit('changesWaiting')) {
      throw new DatabaseBusyError(new Error('too many changes of the organization are waiting'))
    }
    return new Promise((resolve, reject) => {
      const enter = (): void => {
        clearTimeout(timer)
        waiting.delete(enter)
        resolve()
      }
      const timer = setTimeout(() => {
        waiting.delete(enter)
        reject(new DatabaseBusyError(new Error('the change waited too long for other changes of its organization')))
      }, limit('changeWaitMs'))
      waiting.add(enter)
    })
  }
}
