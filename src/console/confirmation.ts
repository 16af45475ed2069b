import { createStore } from './connection.ts'

/** The person closed the question, so the call was not repeated: there is nothing to report. */
export class NotConfirmed extends Error {}

interface Question {
  answer: (isConfirmed: boolean) => void
  /** The question cannot be asked. */
  fail: (error: unknown) => void
}

/** The question that the console shows over the page. */
export const confirmation = createStore<Question | undefined>(undefined)

let asking: Promise<boolean> | undefined

/** Asks the person to prove themselves again; false when they would rather not. Calls at one time share one question. */
export function askToConfirm(): Promise<boolean> {
  asking ??= new Promise<boolean>((answer, fail) => confirmation.set({ answer, fail })).finally(() => {
    asking = undefined
    confirmation.set(undefined)
  })
  return asking
}
