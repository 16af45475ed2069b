import { type MutableRef, useLayoutEffect, useRef } from 'preact/hooks'

/** Gives the place of a form and its button: when the form closes, the focus is on the button again, not lost. */
export function useReturnFocus(isOpen: boolean): MutableRef<HTMLDivElement | null> {
  const place = useRef<HTMLDivElement>(null)
  const wasOpen = useRef(false)
  useLayoutEffect(() => {
    if (wasOpen.current && !isOpen) place.current?.querySelector('button')?.focus()
    wasOpen.current = isOpen
  }, [isOpen])
  return place
}
