import type { RefObject } from 'preact'
import { useLayoutEffect, useRef, useState } from 'preact/hooks'
import { lazyPage } from '../lazy-page.tsx'
import { Button } from '../ui.tsx'
import { writing as words } from '../words.ts'
import { insertText, type TextTool } from './insert-text.ts'

const EmojiPicker = lazyPage(() => import('./emoji-picker.tsx'), { isPart: true })
const SavedTexts = lazyPage(() => import('./saved-texts.tsx'), { isPart: true })

interface WritingToolsProps {
  area: RefObject<HTMLTextAreaElement>
  /** The text's name. */
  of: string
  /** Called with the id of an inserted saved text. */
  onSavedText: (savedTextId: string) => void
}

/** Buttons below a text area that insert emoji and saved texts at its caret. */
export function WritingTools({ area, of, onSavedText }: WritingToolsProps) {
  const [open, setOpen] = useState<'emoji' | 'texts'>()
  const chosen = useRef<string>()
  // Insert after the dialog has closed and returned the focus.
  useLayoutEffect(() => {
    const text = chosen.current
    chosen.current = undefined
    if (open === undefined && text !== undefined && area.current !== null) insertText(area.current, text)
  }, [open])
  const tool: TextTool = {
    present: open === undefined ? '' : textIn(area.current),
    onInsert: (text, savedTextId) => {
      chosen.current = text
      if (savedTextId !== undefined) onSavedText(savedTextId)
      setOpen(undefined)
    },
    onClose: () => setOpen(undefined),
  }
  return (
    <span class="actions">
      <Button kind="plain small" of={of} onClick={() => setOpen('emoji')}>
        {words.emoji}
      </Button>
      <Button kind="plain small" of={of} onClick={() => setOpen('texts')}>
        {words.savedTexts}
      </Button>
      {open === 'emoji' && <EmojiPicker {...tool} />}
      {open === 'texts' && <SavedTexts {...tool} />}
    </span>
  )
}

function textIn(area: HTMLTextAreaElement | null): string {
  if (area === null) return ''
  const { value, selectionStart, selectionEnd } = area
  return selectionStart === selectionEnd ? value : value.slice(selectionStart, selectionEnd)
}
