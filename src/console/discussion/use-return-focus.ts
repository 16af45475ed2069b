import { type MutableRef, useLayoutEffect, useRef } from 'preact/hooks'

/** Returns a ref for a form and its button. When the form closes, the focus returns to the button. */
export function useReturnFocus(isOpen: boolean): MutableRef<HTMLDivElement | null> {
  const place = useRef<HTMLDivElement>(null)
  const wasOpen = useRef(false)
  useLayoutEffect(() => {
    if (wasOpen.current && !isOpen) place.current?.querySelector('button')?.focus()
    wasOpen.current = isOpen
  }, [isOpen])
  return place
}
