import { forgetAnswers, signOut, signOutEverywhere } from './api.ts'
import { forgetKept } from './store.ts'
import { leaveUnasked, mayLoseTyped } from './use-leave-guard.ts'

/**
 * Ends the session here and forgets what was shown, unless the person would rather keep what they typed. Where it ends it
 * never resolves: the page goes, and must read nothing more.
 */
export async function leave(everywhere = false): Promise<void> {
  if (!mayLoseTyped()) return
  const endSessionUrl = everywhere ? undefined : (await signOut()).endSessionUrl
  if (everywhere) await signOutEverywhere()
  forgetAnswers()
  forgetKept('draft.')
  leaveUnasked()
  location.assign(endSessionUrl ?? new URL('.', document.baseURI))
  await new Promise(() => {})
}
