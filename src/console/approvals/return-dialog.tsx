import { useState } from 'preact/hooks'
import { Dialog, Field } from '../ui.tsx'
import { words as all, postWords } from '../words.ts'

const words = postWords.approvals

/** Asks what should be changed. A draft of the notes is kept while the page is open, also when the dialog is closed. */
export function ReturnDialog({
  many,
  onClose,
  onReturn,
  draft,
}: {
  many: number
  onClose: () => void
  onReturn: (notes: string) => Promise<void>
  draft?: { current: string }
}) {
  const [problem, setProblem] = useState<string>()
  const [busy, setBusy] = useState(false)
  const onSubmit = async (event: SubmitEvent): Promise<void> => {
    event.preventDefault()
    const notes = String(new FormData(event.currentTarget as HTMLFormElement).get('notes'))
    if (notes.trim() === '') {
      setProblem(words.notesMissing)
      return
    }
    setBusy(true)
    await onReturn(notes)
    setBusy(false)
  }
  return (
    <Dialog title={words.returnTitle(many)} onClose={onClose}>
      <form class="form" onSubmit={onSubmit}>
        <Field label={words.returnNotes} hint={words.returnHint} problem={problem}>
          {(attributes) => (
            <textarea
              {...attributes}
              name="notes"
              autofocus
              maxLength={10_000}
              defaultValue={draft?.current ?? ''}
              onInput={(event) => {
                if (draft) draft.current = event.currentTarget.value
                setProblem(undefined)
              }}
            />
          )}
        </Field>
        <div class="actions">
          <button type="submit" class="button primary" disabled={busy}>
            {words.returnSubmit}
          </button>
          <button type="button" class="button" onClick={onClose}>
            {all.cancel}
          </button>
        </div>
      </form>
    </Dialog>
  )
}
