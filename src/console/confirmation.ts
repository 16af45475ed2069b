import type { FunctionComponent } from 'preact'
import { createStore } from './connection.ts'

/** The person closed the question, so the call was not repeated: there is nothing to report. */
export class NotConfirmed extends Error {}

interface Question {
  Question: FunctionComponent<{ onAnswer: (isConfirmed: boolean) => void }>
  answer: (isConfirmed: boolean) => void
}

/** The question that the console shows over the page. */
export const confirmation = createStore<Question | undefined>(undefined)

let asking: Promise<boolean> | undefined

/** Asks the person to prove themselves again; false when they would rather not. Calls at one time share one question. */
export function askToConfirm(): Promise<boolean> {
  asking ??= ask().finally(() => {
    asking = undefined
    confirmation.set(undefined)
  })
  return asking
}

async function ask(): Promise<boolean> {
  const { ConfirmDialog } = await import('./factors/confirm-dialog.tsx')
  return await new Promise((answer) => confirmation.set({ Question: ConfirmDialog, answer }))
}
