import { useState } from 'preact/hooks'
import { TextArea } from '../fields.tsx'
import { FormDialog, textIn } from '../forms.tsx'
import { words } from './words.ts'

interface ReturnDialogProps {
  many: number
  onClose: () => void
  onReturn: (notes: string) => Promise<void>
  draft?: { current: string }
}

/** Asks what should be changed. A draft of the notes is kept while the page is open, also when the dialog is closed. */
export function ReturnDialog({ many, onClose, onReturn, draft }: ReturnDialogProps) {
  const [problem, setProblem] = useState<string>()
  const onSubmit = async (form: FormData): Promise<void> => {
    if (textIn(form, 'notes') === '') setProblem(words.notesMissing)
    else await onReturn(String(form.get('notes')))
  }
  return (
    <FormDialog title={words.returnTitle(many)} submit={words.returnSubmit} onSubmit={onSubmit} onClose={onClose}>
      <TextArea
        label={words.returnNotes}
        hint={words.returnHint}
        problem={problem}
        name="notes"
        autofocus
        maxLength={10_000}
        defaultValue={draft?.current ?? ''}
        onInput={(event) => {
          if (draft) draft.current = event.currentTarget.value
          setProblem(undefined)
        }}
      />
    </FormDialog>
  )
}
