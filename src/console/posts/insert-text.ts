/**
 * Puts text in place of the selection of a text area, or at its cursor, as if it was typed: the browser can undo it, and the
 * form hears of it.
 */
export function insertText(area: HTMLTextAreaElement, text: string): void {
  area.focus()
  // Deprecated, but nothing else keeps the browser's undo.
  if (document.execCommand?.('insertText', false, text)) return
  area.setRangeText(text, area.selectionStart, area.selectionEnd, 'end')
  area.dispatchEvent(new Event('input', { bubbles: true }))
}

/** A tool that gives text for the cursor of a text area. */
export interface TextTool {
  /** The text that is selected there, or all of it. */
  present: string
  /** `savedTextId`: of the saved text that it is. */
  onInsert: (text: string, savedTextId?: string) => void
  onClose: () => void
}
