import { forgetAnswers, signOut, signOutEverywhere } from './api.ts'

/** Ends the session here and forgets what was shown. */
export async function leave(everywhere = false): Promise<void> {
  const endSessionUrl = everywhere ? undefined : (await signOut()).endSessionUrl
  if (everywhere) await signOutEverywhere()
  forgetAnswers()
  location.assign(endSessionUrl ?? new URL('.', document.baseURI))
}
