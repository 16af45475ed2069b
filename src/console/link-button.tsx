import type { ComponentProps, TargetedMouseEvent } from 'preact'
import { useState } from 'preact/hooks'
import { Button } from './ui.tsx'
import { common } from './words.ts'

interface LinkButtonProps extends Omit<ComponentProps<typeof Button>, 'onClick'> {
  onClick: () => void
}

/**
 * The button on a page opened by a link. Only this button uses the link, because email scanners open links and run scripts.
 * A scripted click does not count either; it moves the focus here, so that people with such software can press Enter.
 */
export function LinkButton({ onClick, ...attributes }: LinkButtonProps) {
  const [isAsking, setIsAsking] = useState(false)
  const click = ({ isTrusted, currentTarget }: TargetedMouseEvent<HTMLButtonElement>): void => {
    if (isTrusted) {
      onClick()
    } else {
      currentTarget.focus()
      setIsAsking(true)
    }
  }
  return (
    <>
      <Button {...attributes} onClick={click} />
      {isAsking && <p role="status">{common.pressEnter}</p>}
    </>
  )
}
