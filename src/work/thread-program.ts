import { parentPort, type Transferable } from 'node:worker_threads'
import type { ThreadAnswer } from './thread.js'

/** The result of a job, and the buffers in it that are moved rather than copied. */
export interface Done<Result> {
  result: Result
  transfer?: readonly Transferable[]
}

/** Makes this file the program of a thread (thread.ts), which does one job after the other. */
export function doJobs<Job, Result>(work: (job: Job) => Done<Result> | Promise<Done<Result>>): void {
  const port = parentPort!
  const answer = (what: ThreadAnswer, transfer: readonly Transferable[] = []): void => port.postMessage(what, transfer)
  port.on('message', async (job: Job) => {
    try {
      const { result, transfer } = await work(job)
      answer({ result }, transfer)
    } catch (error) {
      const { message, code } = error as NodeJS.ErrnoException
      answer({ error: { message, code } })
    }
  })
  port.postMessage('ready')
}
