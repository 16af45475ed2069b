import type { ComponentProps, TargetedMouseEvent } from 'preact'
import { useState } from 'preact/hooks'
import { Button } from './ui.tsx'
import { common } from './words.ts'

interface LinkButtonProps extends Omit<ComponentProps<typeof Button>, 'onClick'> {
  onClick: () => void
}

/**
 * The button of a page that a link opens. Nothing else uses the link: programs that check mails open their links and run
 * the page's scripts. A click that a script makes up does not count either; it moves the focus here, so that people who
 * click by such a program can press Enter.
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
