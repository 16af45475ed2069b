import { useLayoutEffect } from 'preact/hooks'
import { common } from './words.ts'

/** The forms in which something is typed that is not sent. */
const asking = new Set<(event: BeforeUnloadEvent) => void>()

/** Lets the browser ask before the tab is closed or reloaded, while something is typed that is not sent. */
export function useLeaveGuard(isDirty: boolean): void {
  // Before the next event: the tab may be closed by it.
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

/** Asks the person where something that they typed would be lost; gives whether to go on. */
export const mayLoseTyped = (): boolean => asking.size === 0 || confirm(common.loseTyped)

/** From now on the browser asks no more: nobody may stay on a page that the next person must not see. */
export function leaveUnasked(): void {
  for (const ask of asking) removeEventListener('beforeunload', ask)
}
