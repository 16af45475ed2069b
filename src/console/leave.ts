import { forgetAnswers, signOut, signOutEverywhere } from './api.ts'
import { forgetKept } from './store.ts'
import { leaveUnasked, mayLoseTyped } from './use-leave-guard.ts'

/**
 * Signs out here and clears what was shown, unless the person prefers to keep a draft. On sign-out it never resolves: the
 * page reloads and must not read any longer.
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
