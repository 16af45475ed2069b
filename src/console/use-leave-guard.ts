import { useLayoutEffect } from 'preact/hooks'
import { common } from './words.ts'

/** The forms with unsent input. */
const asking = new Set<(event: BeforeUnloadEvent) => void>()

/** Makes the browser ask before a tab with unsent input closes or reloads. */
export function useLeaveGuard(isDirty: boolean): void {
  // Before the next event, which may close the tab.
  useLayoutEffect(() => {
    if (!isDirty) return undefined
    const ask = (event: BeforeUnloadEvent): void => event.preventDefault()
    addEventListener('beforeunload', ask)
    asking.add(ask)
    return () => {
      removeEventListener('beforeunload', ask)
      asking.delete(ask)
    }
  }, [isDirty])
}

/** Asks before typed input is lost; returns whether to continue. */
export const mayLoseTyped = (): boolean => asking.size === 0 || confirm(common.loseTyped)

/** Disables the browser's question: nobody may stay on a page that the next person must not see. */
export function leaveUnasked(): void {
  for (const ask of asking) removeEventListener('beforeunload', ask)
}
