import { createStore } from './connection.ts'

/** The person dismissed the question, so the call was not repeated and there is nothing to report. */
export class NotConfirmed extends Error {}

interface Question {
  answer: (isConfirmed: boolean) => void
  /** Reports that the question cannot be asked. */
  fail: (error: unknown) => void
}

/** The question shown over the page. */
export const confirmation = createStore<Question | undefined>(undefined)

let asking: Promise<boolean> | undefined

/** Asks the person to confirm their identity; resolves to false if they decline. Concurrent calls share one question. */
export function askToConfirm(): Promise<boolean> {
  asking ??= new Promise<boolean>((answer, fail) => confirmation.set({ answer, fail })).finally(() => {
    asking = undefined
    confirmation.set(undefined)
  })
  return asking
}
