import { forgetAnswers, signOut, signOutEverywhere } from './api.ts'

/** Ends the session here and forgets what was shown. It never resolves: the page goes, and must read nothing more. */
export async function leave(everywhere = false): Promise<never> {
  const endSessionUrl = everywhere ? undefined : (await signOut()).endSessionUrl
  if (everywhere) await signOutEverywhere()
  forgetAnswers()
  location.assign(endSessionUrl ?? new URL('.', document.baseURI))
  return await new Promise(() => {})
}
