/** Inserts text at a text area's selection or caret as if it were typed: it can be undone and fires an input event. */
export function insertText(area: HTMLTextAreaElement, text: string): void {
  area.focus()
  // Deprecated, but nothing else preserves the browser's undo.
  if (document.execCommand?.('insertText', false, text)) return
  area.setRangeText(text, area.selectionStart, area.selectionEnd, 'end')
  area.dispatchEvent(new Event('input', { bubbles: true }))
}

/** A tool that inserts text at a text area's caret. */
export interface TextTool {
  /** The selected text, or all of it. */
  present: string
  /** `savedTextId` is set if the text is a saved one. */
  onInsert: (text: string, savedTextId?: string) => void
  onClose: () => void
}
